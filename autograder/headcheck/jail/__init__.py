"""Runs untrusted cells: zygote, lockdown, the agent inside, the wire format, the trusted client."""

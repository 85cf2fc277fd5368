"""Takes points out of the gradebook: tables, and files of learning platforms."""

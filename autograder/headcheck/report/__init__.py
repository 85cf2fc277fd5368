"""What people read: feedback for a student, tables for a class."""

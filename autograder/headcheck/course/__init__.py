"""What a course is: assignments, tasks and points; building source and release notebooks; reading submissions."""

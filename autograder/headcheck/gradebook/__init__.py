"""nbgrader: preprocessors, configuration and the gradebook database."""

"""The quiz: the lesson's twelve questions."""

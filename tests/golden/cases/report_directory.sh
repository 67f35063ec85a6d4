gpubench report /

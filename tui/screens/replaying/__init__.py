"""Running evidence again: the plan and its run, what came of runs on several targets, and the targets themselves."""

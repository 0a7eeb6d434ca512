"""The files of the corpus are read by the linter and never run, also those that are named like tests."""

collect_ignore_glob = ["corpus/*"]

"""Making a recorded call small: the fewest statements, parameters and elements that still end as recorded."""

"""Reports and states to pages, charts and maps: pure, no Discord calls."""

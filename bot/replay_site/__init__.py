"""The static site that replays a battle in a browser and checks its dice with the rules' own code."""

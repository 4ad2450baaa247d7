"""The face: talks to Discord, knows no rule."""

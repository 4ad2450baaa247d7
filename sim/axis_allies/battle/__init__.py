"""The live battle with dice."""

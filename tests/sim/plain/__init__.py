"""The rules and the cards where there is nothing but Pydantic, as in a browser."""

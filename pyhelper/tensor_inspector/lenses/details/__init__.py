"""`details`: what the details page shows of a value: facts, how its elements are spread, a picture, the elements."""

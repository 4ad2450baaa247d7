"""Cards, the pictures of answers and panels: values for everybody, and the drawing, which is for workers."""

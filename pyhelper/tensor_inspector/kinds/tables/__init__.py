"""Kinds of tables and their columns: pandas, polars, Arrow."""

"""The methods of HippoRAG, by what they are for; each hands the parts of `Resources` to the module that does it."""

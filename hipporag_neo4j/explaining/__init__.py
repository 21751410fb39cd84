"""Why a passage was found."""

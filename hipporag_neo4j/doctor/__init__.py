"""Examines everything the product stands on: server, versions, graph, models."""

from hipporag_neo4j.doctor.examine import examine
from hipporag_neo4j.doctor.finding import Finding, Level

__all__ = ["Finding", "Level", "examine"]

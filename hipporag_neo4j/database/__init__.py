"""The connection to Neo4j, and the only package that imports its driver: runs named statements, translates errors."""

from hipporag_neo4j.database.asynchronous import AsyncDatabase
from hipporag_neo4j.database.blocking import Database, Transaction
from hipporag_neo4j.database.statements import PRODUCT, Row, user_agent
from hipporag_neo4j.database.values import as_matrix, as_record, as_vectors

__all__ = [
    "PRODUCT",
    "AsyncDatabase",
    "Database",
    "Row",
    "Transaction",
    "as_matrix",
    "as_record",
    "as_vectors",
    "user_agent",
]

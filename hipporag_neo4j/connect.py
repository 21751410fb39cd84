"""Which server: the one that the settings name, else the local one that runs."""

from hipporag_neo4j.database import Database
from hipporag_neo4j.errors import AuthenticationError, ConfigurationError, ServerUnavailableError
from hipporag_neo4j.local_server import explain_absence, explain_refused_password, find_running
from hipporag_neo4j.settings import Settings


def open_database(settings: Settings) -> Database:
    """Connect to the server at NEO4J_URI, else to the running local server.

    Raises ConfigurationError when there is neither, ServerUnavailableError or AuthenticationError when it refuses,
    and LocalServerError when the local server's password is lost.
    """
    if settings.neo4j_uri:
        password = settings.neo4j_password
        return Database.connect(
            settings.neo4j_uri,
            username=settings.neo4j_username,
            password=password.get_secret_value() if password else None,
            name=settings.neo4j_database,
            timeout=settings.query_timeout,
        )
    running = find_running(settings)
    if running is None:
        if absence := explain_absence(settings):
            raise ServerUnavailableError(f"NEO4J_URI isn't set, and the local server can't be used. {absence}")
        raise ConfigurationError(
            "No Neo4j server is known: NEO4J_URI isn't set, and no local server runs. Set NEO4J_URI, NEO4J_USERNAME "
            "and NEO4J_PASSWORD, or run `hipporag-neo4j server start`."
        )
    try:
        return Database.connect(
            running.uri,
            username=running.username,
            password=running.password.get_secret_value(),
            name=settings.neo4j_database,
            timeout=settings.query_timeout,
        )
    except AuthenticationError as error:
        raise AuthenticationError(explain_refused_password(running)) from error

"""What goes wrong at an endpoint: what may pass, how long to wait, and what to tell the user."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeGuard

from tenacity import RetryCallState

from hipporag_neo4j.access import Secrets, without_password
from hipporag_neo4j.answers import clean, excerpt
from hipporag_neo4j.errors import LLMAccessError, LLMError, ModelError, UnreadableAnswerError

if TYPE_CHECKING:
    import openai

LONGEST_BACKOFF = 30.0
"""Seconds to wait at most, unless the endpoint asks for more."""

_PASSING = frozenset({408, 409, 425, 429})
_ABOUT_CONTENT = ("flagged", "moderation", "content_filter", "content management policy")


class GarbledResponseError(Exception):
    """The endpoint answered 200 with something that is no chat completion; the message is an excerpt of it."""


class BrokenStreamError(Exception):
    """A stream broke off, or told an error, before its answer was whole; the message says how."""


@dataclass(frozen=True, slots=True)
class WaitBeforeRetry:
    """Seconds until the next attempt: `backoff`, doubled each time, with jitter; more if the endpoint asks for it."""

    backoff: float

    def __call__(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        doubled = min(self.backoff * 2.0 ** min(state.attempt_number - 1, 20), LONGEST_BACKOFF)
        jitter = random.uniform(0, 0.5) * doubled
        return max(retry_after(error), doubled) + jitter


def is_passing(error: BaseException) -> bool:
    """Whether the same request may succeed a little later."""
    import openai

    if isinstance(error, openai.APIStatusError):
        if error.response.headers.get("x-should-retry") == "false" or _out_of_credit(error) or refuses_request(error):
            return False
        return error.status_code in _PASSING or error.status_code >= 500
    return isinstance(error, openai.APIConnectionError | GarbledResponseError | BrokenStreamError)


def refuses_request(error: BaseException) -> TypeGuard[openai.APIStatusError]:
    """Whether the endpoint refuses the request as it is put, so that another way to put it may do."""
    import openai

    if not isinstance(error, openai.APIStatusError) or withheld_answer(error) is not None:
        return False
    # The server of llama-cpp-python reports a response_format that it doesn't know as an internal error.
    return error.status_code in (400, 422) or (error.status_code in (500, 501) and "response_format" in error.message)


def retry_after(error: BaseException | None) -> float:
    """Seconds that the endpoint asks to wait, in any form of the Retry-After header; 0 when it doesn't."""
    import openai

    if not isinstance(error, openai.APIStatusError):
        return 0.0
    header = error.response.headers.get("retry-after", "")
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except ValueError:
            return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0


def withheld_answer(error: openai.APIStatusError) -> str | None:
    """The answer that an endpoint checked itself and refuses to hand out, since it is no JSON; else None."""
    if error.code != "json_validate_failed":
        return None
    return str(error.body.get("failed_generation", "")) if isinstance(error.body, dict) else ""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint and a model there, and how their failures are told. The key is never told."""

    model: str
    address: str = field(repr=False)
    key: str = field(repr=False)

    @property
    def secrets(self) -> Secrets:
        """What no message may hold."""
        return Secrets.of(self.key, self.address)

    def __str__(self) -> str:
        return f"The model {self.model!r} at {without_password(self.address)}"

    def complaint(self, error: openai.APIStatusError) -> str:
        """What the endpoint said about a request, without what it repeats of it."""
        body = error.body
        if isinstance(body, dict) and isinstance(body.get("detail"), list):
            # FastAPI repeats the refused input beside each complaint.
            details = [item for item in body["detail"] if isinstance(item, dict)]
            said = "; ".join(f"{'.'.join(map(str, item.get('loc', ())))}: {item.get('msg')}" for item in details)
        elif isinstance(body, dict) and isinstance(body.get("detail"), str):
            said = body["detail"]
        elif isinstance(body, dict) and isinstance(body.get("message"), str):
            said = " ".join(filter(None, [body["message"], error.param and f"({error.param})"]))
        else:
            said = str(body) if body else error.message
        return self._shown(said)

    def cause(self, error: Exception) -> Exception | None:
        """`error` for `raise … from`; None when it would show the key in a traceback."""
        return self.secrets.cause(error)

    def translated(self, error: Exception, *, seconds: float) -> ModelError:
        """The error to raise for a failure that stayed after `seconds` of trying."""
        import openai

        if isinstance(error, openai.APIStatusError):
            return self._status(error, seconds)
        if isinstance(error, openai.APITimeoutError):
            return LLMError(
                f"{self} didn't answer in time; given up after {seconds:.0f} s. Set HIPPORAG_LLM_TIMEOUT or "
                "HIPPORAG_LLM_DEADLINE higher, or HIPPORAG_LLM_CONCURRENCY lower."
            )
        if isinstance(error, openai.APIConnectionError):
            why = self._shown(str(error.__cause__ or error))
            return LLMError(
                f"{self} can't be reached: {why}; given up after {seconds:.0f} s. Check OPENAI_BASE_URL, and that the "
                "server is running."
            )
        if isinstance(error, GarbledResponseError):
            return LLMError(
                f"{self} answered with something that is no chat completion: {self._shown(str(error))}. Check that "
                "OPENAI_BASE_URL is the address of the API; most end in /v1."
            )
        if isinstance(error, BrokenStreamError):
            return LLMError(
                f"{self} broke off in its answer: {self._shown(str(error)).rstrip('.')}; given up after {seconds:.0f} "
                "s. Check that the server is running, and ask again."
            )
        return LLMError(f"{self} failed: {self._shown(str(error))}.")

    def _status(self, error: openai.APIStatusError, seconds: float) -> ModelError:
        status, said = error.status_code, self.complaint(error).rstrip(".")
        if (withheld := withheld_answer(error)) is not None:
            return UnreadableAnswerError(f"the endpoint withheld an answer that is no JSON: {excerpt(withheld)}")
        if status == 401 or (status == 403 and not any(word in said.lower() for word in _ABOUT_CONTENT)):
            return LLMAccessError(
                f"{self} refuses the key ({status}): {said}. Check OPENAI_API_KEY and OPENAI_BASE_URL."
            )
        if status in (404, 405):
            return LLMAccessError(
                f"{self} isn't found ({status}): {said}. Check HIPPORAG_LLM_MODEL, and that OPENAI_BASE_URL is the "
                "address of the API; most end in /v1."
            )
        if status == 402 or _out_of_credit(error):
            return LLMAccessError(
                f"{self}: the account has no credit left ({status}): {said}. Top it up and run again."
            )
        if is_passing(error):
            asked = f"; it asks to wait {wait:.0f} s" if (wait := retry_after(error)) else ""
            return LLMError(
                f"{self} is busy or failing ({status}): {said}{asked}; given up after {seconds:.0f} s. Run again "
                "later, with HIPPORAG_LLM_CONCURRENCY lower or HIPPORAG_LLM_RETRIES and HIPPORAG_LLM_DEADLINE higher."
            )
        return LLMError(
            f"{self} refuses the request ({status}): {said}. If the text is too long, set HIPPORAG_PASSAGE_SIZE or "
            "HIPPORAG_LLM_MAX_TOKENS lower."
        )

    def _shown(self, said: str) -> str:
        text = clean(self.secrets.hide(said))
        return f"{text[:300]}…" if len(text) > 300 else text


def _out_of_credit(error: openai.APIStatusError) -> bool:
    return "insufficient_quota" in (error.code, error.type)

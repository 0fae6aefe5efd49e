"""The messages: payloads by reference to the JSON Schemas beside the document, headers, examples."""

from collections.abc import Iterator

from pydantic.config import JsonDict

from ricordo.messages.asyncapi import examples, headers
from ricordo.messages.asyncapi.names import DEAD_LETTER, ERROR, ref, reply_of, request_of, said_of
from ricordo.messages.base import Message
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.routing import CONSUMERS, CONTRACTS, Contract


def messages() -> JsonDict:
    """Return every message by its key: those of the contract, the error reply, and the dead letter."""
    found: JsonDict = {key: body for contract in CONTRACTS.values() for key, body in _of(contract)}
    return found | {ERROR: _error(), DEAD_LETTER: _dead_letter()}


def _of(contract: Contract) -> Iterator[tuple[str, JsonDict]]:
    key = request_of(contract)
    if contract.reply is None:
        sort = headers.BOT if contract.from_bots else headers.DERIVED
        yield key, _message(key, contract.body, sort, examples.of_event(contract))
        return
    yield key, _message(key, contract.body, headers.REQUEST, examples.of_request(contract))
    answer = reply_of(contract)
    yield answer, _message(answer, contract.reply, None, examples.of_reply(contract, contract.reply))


def _message(key: str, model: type[Message], sort: str | None, *shown: JsonDict) -> JsonDict:
    summary, whole = said_of(model)
    message: JsonDict = {"name": key, "title": model.__name__, "summary": summary}
    if whole != summary:
        message["description"] = whole
    if sort is not None:
        message["headers"] = ref("components", "schemas", sort)
    return message | {"payload": {"$ref": f"./{key}.json"}, "examples": list(shown)}


def _error() -> JsonDict:
    codes = "\n".join(f"- `{code.value}` {code.number}" for code in ErrorCode)
    message = _message(ERROR, ErrorBody, headers.ERROR, *examples.of_errors())
    message["description"] = f"Comes instead of any reply, with one of these codes and numbers:\n\n{codes}"
    return message


def _dead_letter() -> JsonDict:
    return {
        "name": DEAD_LETTER,
        "title": "DeadLetter",
        "summary": "An event that was given up.",
        "headers": ref("components", "schemas", headers.DEAD_LETTER),
        "payload": {"description": "The original bytes as they came: JSON, or what should have been JSON."},
        "examples": [examples.of_dead_letter(CONSUMERS[0].name)],
    }

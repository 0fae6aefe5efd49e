"""Types of settings: groups, bounded numbers, URLs."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from ricordo.urls import fault

PositiveInt = Annotated[int, Field(gt=0)]
PositiveFloat = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0, le=1000)]

HTTP: Final = ("http", "https")
OLLAMA: Final = "http://127.0.0.1:11434"


class Group(BaseModel):
    """A group of settings: frozen, without unknown names or infinite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def refuse(fault: str) -> None:
    """Raise a validation error with the text `fault`, unless it is empty."""
    if fault:
        raise PydanticCustomError("fault", "{fault}", {"fault": fault})


def url_like(example: str, schemes: Sequence[str] = HTTP) -> AfterValidator:
    """Return a validator of the address of a server that speaks one of `schemes`."""

    def check(url: str) -> str:
        refuse(fault(url, schemes, example))
        return url

    return AfterValidator(check)


ModelUrl = Annotated[str, url_like(OLLAMA)]
"""The address of an Ollama server or, for language models, of one with OpenAI's interface (`/v1`)."""

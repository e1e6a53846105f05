"""Uploads a folder to a model repository of the hub, as one commit: all of it is there, or nothing has changed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.localizable import LocalizedText, localized
from core.run.spec.web_address import hub_endpoint
from core.worker.fetch.hub_listing import configure_hub_library

log = logging.getLogger(__name__)

_REFUSED = {
    401: localized("it does not know the token"),
    403: localized("the token may not write there, or the organisation has no room left"),
    404: localized("there is no such repository, or the token may not see it"),
    413: localized("the model is too large for it"),
    507: localized("it has no room left"),
}


def upload_folder(folder: Path, repository: str, message: str, token: str, library: Path) -> str:
    """Commit all files of the folder, in a private repository if it has to be made; the address of the commit.

    ``library`` is a folder in which huggingface_hub may write. Raises UserError, whose words hold no token.
    """
    configure_hub_library(library)
    from huggingface_hub import HfApi

    from core.worker.fetch.hub_client import install_hub_client

    install_hub_client()
    hub = HfApi(endpoint=hub_endpoint(), token=token)
    try:
        hub.create_repo(repository, private=True, exist_ok=True)
        done = hub.upload_folder(repo_id=repository, folder_path=folder, commit_message=message)
    except Exception as error:  # all that the library raises, some of it with the token among its words
        log.warning("the push has failed: %s", " from ".join(type(each).__name__ for each in _causes(error)))
        where = f"{hub_endpoint()}/{repository}"
        raise UserError(ErrorKind.PUSH_FAILED, localized("%1: %2.", where, _why(error))) from None
    return str(done.commit_url)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, and those that it comes from: of large files the library tells only that they failed."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def _why(error: BaseException) -> LocalizedText:
    """What has gone wrong, in words of ours."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    for each in _causes(error):
        if isinstance(each, HfHubHTTPError):
            status = each.response.status_code
            return _REFUSED.get(status) or localized("it answers %1", status)
        if isinstance(each, httpx2.HTTPError | OSError):
            return localized("the connection failed (%1)", type(each).__name__)
    return localized("it answers what cannot be understood")

"""Connections to the page's server: each must ask soon, and there are so many at most.

A client that opens connections and sends nothing, or a byte a second, takes nothing from others: a
connection that has not asked within some seconds is closed, so is one that does not read what it
asked for. Of too many the oldest that only waits, or whose request has not come to its end, makes
room for the newest; else the oldest that listens to events, which a window then asks for again;
else the oldest of those that have just come.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

ASK_SECONDS = 20.0  # for the head of a request, and for the first one
READ_SECONDS = 30.0  # in which something of an answer must have been read
MOST_CONNECTIONS = 200  # fewer than the files that any system lets a process open
EVENTS = "/api/events"
NEW_SECONDS = 2.0  # in which a connection is new
WAITS, LISTENS, IS_NEW, WORKS = range(4)  # what gives way first


class Connection(H11Protocol):
    """A connection that is closed where it waits too long, or where another needs its room."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; of too many connections one is closed."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self._expect_request()
        open_ones = [each for each in self.connections if not each.transport.is_closing()]
        if len(open_ones) > MOST_CONNECTIONS:
            others = [each for each in open_ones if isinstance(each, Connection)]
            first = min((each for each in others if each is not self), key=Connection.worth)
            (self if first.worth()[0] == WORKS else first).transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._expect_request()

    def pause_writing(self) -> None:
        """Wait for a reader, as long as it reads."""
        super().pause_writing()
        self._expect_reading()

    def worth(self) -> tuple[int, float]:
        """By what a connection is kept: by what it does, then by its youth."""
        if self._waits() or self.cycle.more_body:
            is_new = self.loop.time() - self.since < NEW_SECONDS
            return (IS_NEW if is_new else WAITS), self.since
        return (LISTENS if self.cycle.scope["path"] == EVENTS else WORKS), self.since

    def _waits(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _expect_request(self) -> None:
        answered = self.cycle

        def end() -> None:
            if self.cycle is answered and self._waits():
                self.transport.close()  # what is still on its way to a slow reader arrives

        self.loop.call_later(ASK_SECONDS, end)

    def _expect_reading(self) -> None:
        unread = self.transport.get_write_buffer_size()

        def end() -> None:
            if not self.flow.write_paused:
                return
            if self.transport.get_write_buffer_size() >= unread:
                self.transport.abort()
            else:
                self._expect_reading()

        self.loop.call_later(READ_SECONDS, end)

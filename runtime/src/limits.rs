//! Every number of the runtime, each with its reason. A configuration may replace those that a plan carries.

use std::time::Duration;

// Heads and bodies.

/// Bytes of a message head: what nginx and Envoy accept by default, enough for the largest cookies browsers send.
pub(crate) const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Field lines of a message head: hyper's and nginx users' habit; more is an attack or a mistake.
pub(crate) const HEADER_COUNT_MAX: usize = 100;
/// Bytes of a request target: RFC 9110 section 4.1 recommends 8000 at least.
pub(crate) const TARGET_BYTES_MAX: usize = 8 * 1024;
/// Interim responses before the final one: a few hints are normal, a flood is not.
pub(crate) const INTERIM_RESPONSES_MAX: u32 = 8;
/// Body bytes that are copied behind a head so that both leave in one plain write; beyond it, a vectored write
/// costs less than the copy.
pub(crate) const JOINED_WRITE_MAX: usize = 4 * 1024;
/// Bytes of a method that the answer to a refused one repeats: every registered one (RFC 9110 section 16.1) fits.
pub(crate) const ANSWERED_METHOD_BYTES_MAX: usize = 20;

/// Options of all Connection fields of a head: each is looked for among the fields; three are many.
pub(crate) const CONNECTION_OPTIONS_MAX: u16 = 32;
/// Bytes of all chunk extensions of a body: nobody uses them but to hide something.
pub(crate) const CHUNK_EXTENSION_BYTES_MAX: usize = 1024;
/// Bytes of trailer fields, which are checked and discarded.
pub(crate) const TRAILER_BYTES_MAX: usize = 8 * 1024;

// Records.

/// Bytes of one record with its line end: what a pipe takes undivided (`PIPE_BUF`), so that two generations can share
/// one.
pub(crate) const RECORD_BYTES_MAX: usize = 4 * 1024;
/// Bytes of the path in a record before it is cut. With the other texts at their limits a record still fits.
pub(crate) const RECORD_PATH_BYTES_MAX: usize = 2000;
/// Bytes of a host, site, route, upstream or server in a record before it is cut: a host name has at most 253.
pub(crate) const RECORD_NAME_BYTES_MAX: usize = 300;
/// Bytes of a method or reason in a record before it is cut.
pub(crate) const RECORD_WORD_BYTES_MAX: usize = 64;
/// Bytes of records a worker gathers before it hands them to the writer.
pub(crate) const LOG_BATCH_BYTES: usize = 16 * 1024;
/// Batches that may wait for the writer: 1 MiB, a few seconds of a stalled disk.
pub(crate) const LOG_QUEUE: usize = 64;
/// Written batches that wait for their worker to use them again: one is filled while others are written.
pub(crate) const LOG_SPARE_BATCHES: usize = 4;

// Buffers.

/// A connection's first buffer: most heads and small bodies fit, and a worker keeps many of them.
pub(crate) const BUFFER_SMALL: usize = 16 * 1024;
/// The second step, what responses are read into: a body of 64 KiB together with its head, which makes one read and
/// one write of it instead of two. Measured: a buffer of 64 KiB sharp cost a sixth more system calls.
pub(crate) const BUFFER_MEDIUM: usize = 72 * 1024;
/// The last step: measured, fewer and larger reads beat every smaller size for large bodies.
pub(crate) const BUFFER_LARGE: usize = 256 * 1024;
/// Buffers a worker keeps for the next exchange, by size: about 4 MiB each.
pub(crate) const BUFFERS_KEPT: [usize; 3] = [256, 64, 16];
/// Workspaces of exchanges a worker keeps: as many as it usually has exchanges at once, a few KiB each.
pub(crate) const WORKSPACES_KEPT: usize = 256;
/// Record memories a worker keeps for the next exchange.
pub(crate) const SCRATCH_KEPT: usize = 256;
/// A scratch text that grew beyond this is not kept.
pub(crate) const SCRATCH_BYTES_KEPT: usize = 16 * 1024;

// Time.

/// Step of the coarse clock: deadlines are late by up to two of these, never early.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// Slots of the wheel of deadlines: 102 s at the tick above, so usual deadlines are visited once.
pub(crate) const WHEEL_SLOTS: usize = 1024;
/// From the first byte of a head to its last: slow heads are an attack (slowloris).
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Silence between two requests of a connection.
pub(crate) const KEEPALIVE_TIMEOUT: Duration = Duration::from_mins(1);
/// How long silence keeps the working state of a connection; after that only the socket waits.
pub(crate) const PARK_AFTER: Duration = Duration::from_secs(1);
/// Window over which a request body must keep its lowest rate.
pub(crate) const BODY_WINDOW: Duration = Duration::from_secs(10);
/// Lowest rate of a request body before the response head has come, in bytes per second.
pub(crate) const BODY_RATE_MIN: u64 = 500;
/// A client that takes no byte of its response for so long has gone.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// To establish a connection to a server, when neither route nor upstream says otherwise.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// From the request sent to the response head, likewise.
pub(crate) const RESPONSE_TIMEOUT: Duration = Duration::from_mins(1);
/// Between two pieces of a body, likewise.
pub(crate) const BODY_IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// How long a closing connection is read so that a reset does not destroy the response under way.
pub(crate) const LINGER_TIMEOUT: Duration = Duration::from_secs(2);
/// How many bytes a closing connection is read, likewise.
pub(crate) const LINGER_BYTES_MAX: usize = 256 * 1024;

// Connections.

/// Requests of one connection: bounds what a client can hold against balancing.
pub(crate) const REQUESTS_PER_CONNECTION_MAX: u32 = 10_000;
/// Connections of one worker where the descriptor limit is unknown.
pub(crate) const CONNECTIONS_DEFAULT: usize = 8 * 1024;
/// Descriptors kept free of client connections: listeners, logs, control and the first upstream connections.
pub(crate) const DESCRIPTORS_RESERVED: usize = 64;
/// Accepted sockets that may wait for another worker: a burst, not a backlog; the kernel keeps that.
pub(crate) const HANDOFF_QUEUE: usize = 64;
/// How many connections more than the idlest worker one must have before it passes a socket on.
pub(crate) const HANDOFF_LEAD: u64 = 2;
/// Pause after the system refused a descriptor: long enough not to spin, short against a client's patience.
pub(crate) const ACCEPT_BACKOFF: Duration = Duration::from_millis(100);
/// Commands that may wait for a worker: it is told to accept, pause and drain, each about once.
pub(crate) const COMMANDS_QUEUE: usize = 32;

// Upstreams.

/// Idle connections a worker keeps per server, when the upstream does not say: as many as a busy worker has
/// exchanges at once.
pub(crate) const UPSTREAM_IDLE_MAX: usize = 256;
/// An idle upstream connection is closed after so long: below the 60 and 75 s of common servers.
pub(crate) const UPSTREAM_IDLE_TIMEOUT: Duration = Duration::from_secs(55);
/// Servers tried for one exchange; each may cost a connect time-out.
pub(crate) const CONNECT_TRIES_MAX: usize = 3;
/// A server that refused a connection is passed over for so long while others live.
pub(crate) const SERVER_REST: Duration = Duration::from_secs(2);
/// How long the addresses of a name are used before it is asked again.
pub(crate) const NAME_FRESH: Duration = Duration::from_secs(30);
/// How long the last good addresses serve while a name cannot be resolved.
pub(crate) const NAME_STALE: Duration = Duration::from_mins(10);
/// Addresses of one name that are used.
pub(crate) const NAME_ADDRESSES_MAX: usize = 16;
/// Seconds a client is asked to wait when no server can be reached.
pub(crate) const RETRY_AFTER_SECONDS: u32 = 2;

// Supervisor and generations.

/// Descriptors in one message: the kernel's own bound (`SCM_MAX_FD`).
pub(crate) const DESCRIPTORS_PER_MESSAGE_MAX: usize = 253;
/// Bytes of one message between supervisor, generations and callers: all sources of a program (`PROGRAM_BYTES_MAX` of
/// the language, 32 MiB) fit, though JSON may write a byte as six.
pub(crate) const MESSAGE_BYTES_MAX: usize = 200 * 1024 * 1024;
/// Bytes of a file that is watched: no source may be larger.
pub(crate) const SOURCE_BYTES_MAX: usize = twp_compiler::SOURCE_BYTES_MAX;
/// Messages that wait for a reader: more than a whole handover has, so a full queue means a dead reader.
pub(crate) const MESSAGE_QUEUE_MAX: usize = 64;
/// From the start of a generation to its readiness, for the largest configurations on a busy machine.
pub(crate) const ATTEMPT_TIMEOUT: Duration = Duration::from_mins(1);
/// One answer of a generation during the handover; it has nothing to do for it but to tell its workers.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a generation says that it lives and what it does.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);
/// A serving generation that says nothing for so long hangs, and is replaced: thirty missed signs of life.
pub(crate) const SILENCE_MAX: Duration = Duration::from_secs(30);
/// A supervisor that did not look for so long was itself stopped: the silence was its own.
pub(crate) const INATTENTION_MAX: Duration = Duration::from_secs(5);
/// The first pause before a crashed generation is started again; it doubles from there.
pub(crate) const RESTART_PAUSE_MIN: Duration = Duration::from_millis(50);
/// The longest pause: what a person would wait before looking.
pub(crate) const RESTART_PAUSE_MAX: Duration = Duration::from_secs(10);
/// A generation that served so long without a crash starts the pauses anew.
pub(crate) const RESTART_FORGIVEN_AFTER: Duration = Duration::from_secs(30);
/// Generations that may drain at once; beyond it the one with the fewest streams is cut.
pub(crate) const DRAINING_MAX: usize = 8;
/// When so many drain, attempts are paced: half of the bound, so that a storm of reloads cuts nobody.
pub(crate) const DRAINING_PACED: usize = DRAINING_MAX / 2;
/// From one attempt to the next while paced. With the four above, what is open has four seconds and more to end by
/// itself before the bound is reached.
pub(crate) const ATTEMPT_PACE: Duration = Duration::from_secs(1);
/// When a draining generation ends idle work.
pub(crate) const DRAIN_SOFT: Duration = Duration::from_secs(30);
/// When a draining generation cuts what is left, unless the configuration says otherwise.
pub(crate) const DRAIN_HARD: Duration = Duration::from_mins(5);
/// What a generation gets beyond its hard deadline before it is killed.
pub(crate) const DRAIN_GRACE: Duration = Duration::from_secs(5);
/// Hard deadline after an interrupt from the keyboard: somebody is waiting for the prompt.
pub(crate) const INTERRUPT_HARD: Duration = Duration::from_secs(2);
/// Clients that may wait in a listening socket's queue; the kernel lowers it to its own bound.
pub(crate) const LISTEN_BACKLOG: i32 = 4096;
/// Listening sockets of one supervisor: far above any configuration, far below the usual hard descriptor limit.
pub(crate) const LISTEN_SOCKETS_MAX: usize = 65_536;
/// Worker threads of one generation.
pub(crate) const WORKERS_MAX: u16 = 1024;
/// Callers of the control socket at one time.
pub(crate) const CALLERS_MAX: usize = 32;
/// Silence after which a caller that asked nothing is hung up on.
pub(crate) const CALLER_TIMEOUT: Duration = Duration::from_secs(5);

// Watching files.

/// Silence after a file event before the files are read: an editor's several steps become one change.
pub(crate) const WATCH_QUIET: Duration = Duration::from_millis(100);
/// Steady events delay the reading by no more than this.
pub(crate) const WATCH_QUIET_MAX: Duration = Duration::from_secs(1);
/// How often files are looked at where no events come, as on network file systems.
pub(crate) const WATCH_POLL: Duration = Duration::from_secs(2);
/// Symbolic links followed from one path: the kernel's own bound.
pub(crate) const LINKS_MAX: usize = 40;
/// Connections accepted once more at an address that is dropped: a full queue and its overflow.
pub(crate) const SWEEP_MAX: usize = 16 * 1024;
/// How long such a connection waits for a worker with room.
pub(crate) const HANDOFF_WAIT_MAX: Duration = Duration::from_secs(1);
/// How long a generation that has drained waits for its last records: a stuck reader must not keep it.
pub(crate) const LOG_FINISH_MAX: Duration = Duration::from_secs(2);

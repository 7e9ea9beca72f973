//! The handover from one generation to the next, as a pure state machine: events in, actions out, no I/O.
//!
//! ```text
//! Empty ─▶ Loading ─▶ Adopting ─▶ Committed ─▶ Pausing ─▶ Probation ─▶ Serving
//!            (before COMMIT every failure is free)   └── failure: RESUME the old one
//! ```
//!
//! The supervisor performs the actions and reports what happens as events. An event that does not fit the state,
//! such as the death of a generation that drains, changes nothing.

pub mod channel;
pub mod message;

#[cfg(test)]
mod tests;

/// Number of a generation, from 1.
pub type GenerationId = u32;

/// What a handover remembers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Handover {
    state: State,
    /// The number of the next generation.
    next: GenerationId,
    /// A change arrived after COMMIT: it is tried as soon as the one in progress is decided.
    is_change_waiting: bool,
    /// A generation has served: there is something to go back to.
    has_served: bool,
}

/// Where a handover is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing serves and nothing is tried: before the start, or until the next restart is due.
    Empty,
    /// One generation serves.
    Serving(Serving),
    /// An attempt compiles.
    Loading(Attempt),
    /// An attempt takes its sockets.
    Adopting(Attempt),
    /// An attempt was told to accept.
    Committed(Attempt),
    /// Both accept; the old one was told to stop.
    Pausing(Pausing),
    /// The new one accepts and has yet to prove itself.
    Probation(Attempt),
    /// Everything drains; nothing is tried again.
    Stopping,
}

/// One generation serves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Serving {
    /// Which.
    pub current: GenerationId,
}

/// A new generation beside an old one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// Serves, or is paused during probation; `None` when there is none or it died.
    pub old: Option<GenerationId>,
    /// Shall serve.
    pub new: GenerationId,
}

/// Both accept; the old one was told to stop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pausing {
    /// Was told to stop.
    pub old: GenerationId,
    /// Accepts.
    pub new: GenerationId,
    /// The new one has already proved itself.
    pub is_healthy: bool,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The files changed, or somebody asked for a new generation.
    Change,
    /// A generation came this far.
    Said(GenerationId, Step),
    /// The generation died, hung up or spoke nonsense.
    Lost(GenerationId),
    /// The state's deadline has passed: see [`Handover::patience`].
    TimeUp,
    /// The pause before a restart has passed.
    RestartDue,
    /// The supervisor shall end.
    Stop,
}

/// How far a generation came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Its configuration is accepted, and its new sockets are bound.
    Bound,
    /// Its configuration is not accepted, or a socket cannot be had.
    Refused,
    /// It has its sockets and all workers.
    Ready,
    /// It accepts.
    Accepting,
    /// It no longer accepts.
    Paused,
    /// It serves as it should.
    Healthy,
}

/// What the supervisor has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Start this generation from the files.
    Start(GenerationId),
    /// Start this generation from the sources that served last.
    StartLast(GenerationId),
    /// Pass the sockets.
    Pass(GenerationId),
    /// Tell it to accept.
    Commit(GenerationId),
    /// Tell it to stop accepting, for this successor.
    Pause(GenerationId),
    /// Tell it to accept again.
    Resume(GenerationId),
    /// Tell it to finish and exit.
    Drain(GenerationId),
    /// End it now.
    Kill(GenerationId),
    /// Report to whoever asked how this attempt ended.
    Settle(GenerationId, Outcome),
    /// Raise [`Event::RestartDue`] after a pause.
    ScheduleRestart,
    /// There is nothing to serve and nothing to go back to: exit with failure.
    GiveUp,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It serves.
    Serves,
    /// Its configuration is not accepted or its sockets cannot be had.
    Refused,
    /// It died or hung before COMMIT.
    Failed,
    /// It died or hung after COMMIT; the old one serves again if it lives.
    RolledBack,
    /// A newer attempt took its place, or the supervisor ends.
    Superseded,
}

/// How long a state may last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Patience {
    /// For ever.
    Endless,
    /// The time to load and adopt, counted from the start of this generation.
    Attempt(GenerationId),
    /// The time of one answer, counted from the entry of this state.
    Answer,
}

impl Default for Handover {
    fn default() -> Handover {
        Handover { state: State::Empty, next: 1, is_change_waiting: false, has_served: false }
    }
}

impl Handover {
    /// Where the handover is.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How long the state may last before [`Event::TimeUp`].
    pub fn patience(&self) -> Patience {
        match &self.state {
            State::Empty | State::Serving(_) | State::Stopping => Patience::Endless,
            State::Loading(attempt) | State::Adopting(attempt) => Patience::Attempt(attempt.new),
            State::Committed(_) | State::Pausing(_) | State::Probation(_) => Patience::Answer,
        }
    }

    /// Whether this generation was told to accept and not to stop for good.
    pub fn is_trusted(&self, id: GenerationId) -> bool {
        match &self.state {
            State::Empty | State::Stopping => false,
            State::Serving(serving) => serving.current == id,
            State::Loading(attempt) | State::Adopting(attempt) => attempt.old == Some(id),
            State::Committed(attempt) | State::Probation(attempt) => {
                attempt.new == id || attempt.old == Some(id)
            }
            State::Pausing(pausing) => pausing.old == id || pausing.new == id,
        }
    }

    /// The next state, and what has to be done for it, in order.
    pub fn step(self, event: Event) -> (Handover, Vec<Action>) {
        let mut next = self;
        let mut actions = Vec::new();
        let state = std::mem::replace(&mut next.state, State::Empty);
        next.state = match (state, event) {
            (state, Event::Stop) => stop(state, &mut actions),
            (State::Empty, event) => next.empty(event, &mut actions),
            (State::Serving(serving), event) => next.serving(serving, event, &mut actions),
            (State::Loading(attempt), event) => next.loading(attempt, event, &mut actions),
            (State::Adopting(attempt), event) => next.adopting(attempt, event, &mut actions),
            (State::Committed(attempt), event) => next.committed(attempt, event, &mut actions),
            (State::Pausing(pausing), event) => next.pausing(pausing, event, &mut actions),
            (State::Probation(attempt), event) => next.probation(attempt, event, &mut actions),
            (State::Stopping, _) => State::Stopping,
        };
        (next, actions)
    }

    fn empty(&mut self, event: Event, actions: &mut Vec<Action>) -> State {
        match event {
            Event::Change => {
                let new = self.number();
                actions.push(Action::Start(new));
                State::Loading(Attempt { old: None, new })
            }
            Event::RestartDue => {
                let new = self.number();
                actions.push(Action::StartLast(new));
                State::Loading(Attempt { old: None, new })
            }
            Event::Said(..) | Event::Lost(_) | Event::TimeUp | Event::Stop => State::Empty,
        }
    }

    fn serving(&mut self, serving: Serving, event: Event, actions: &mut Vec<Action>) -> State {
        match event {
            Event::Change => {
                let new = self.number();
                actions.push(Action::Start(new));
                State::Loading(Attempt { old: Some(serving.current), new })
            }
            Event::Lost(id) if id == serving.current => {
                actions.push(Action::ScheduleRestart);
                State::Empty
            }
            Event::Said(..) | Event::Lost(_) | Event::TimeUp | Event::RestartDue | Event::Stop => {
                State::Serving(serving)
            }
        }
    }

    fn loading(&mut self, attempt: Attempt, event: Event, actions: &mut Vec<Action>) -> State {
        match event {
            Event::Said(id, Step::Bound) if id == attempt.new => {
                actions.push(Action::Pass(id));
                State::Adopting(attempt)
            }
            event => match self.before_commit(attempt, event, actions) {
                Ok(attempt) => State::Loading(attempt),
                Err(state) => state,
            },
        }
    }

    fn adopting(&mut self, attempt: Attempt, event: Event, actions: &mut Vec<Action>) -> State {
        match event {
            Event::Said(id, Step::Ready) if id == attempt.new => {
                actions.push(Action::Commit(id));
                State::Committed(attempt)
            }
            event => match self.before_commit(attempt, event, actions) {
                Ok(attempt) => State::Adopting(attempt),
                Err(state) => state,
            },
        }
    }

    /// What Loading and Adopting share: the attempt goes on, or another state follows.
    fn before_commit(
        &mut self,
        attempt: Attempt,
        event: Event,
        actions: &mut Vec<Action>,
    ) -> Result<Attempt, State> {
        match event {
            Event::Change => {
                actions.push(Action::Kill(attempt.new));
                actions.push(Action::Settle(attempt.new, Outcome::Superseded));
                let new = self.number();
                actions.push(Action::Start(new));
                Err(State::Loading(Attempt { old: attempt.old, new }))
            }
            Event::Said(id, Step::Refused) if id == attempt.new => {
                Err(self.fail(&attempt, Outcome::Refused, actions))
            }
            Event::Lost(id) if id == attempt.new => Err(self.fail(&attempt, Outcome::Failed, actions)),
            Event::TimeUp => Err(self.fail(&attempt, Outcome::Failed, actions)),
            // The attempt is now the quickest way back to service.
            Event::Lost(id) if Some(id) == attempt.old => Ok(Attempt { old: None, new: attempt.new }),
            Event::Said(..) | Event::Lost(_) | Event::RestartDue | Event::Stop => Ok(attempt),
        }
    }

    fn committed(&mut self, attempt: Attempt, event: Event, actions: &mut Vec<Action>) -> State {
        match event {
            Event::Said(id, Step::Accepting) if id == attempt.new => match attempt.old {
                Some(old) => {
                    actions.push(Action::Pause(old));
                    State::Pausing(Pausing { old, new: id, is_healthy: false })
                }
                None => State::Probation(attempt),
            },
            // The sockets could not start listening, so COMMIT was never sent.
            Event::Said(id, Step::Refused) if id == attempt.new => {
                self.fail(&attempt, Outcome::Refused, actions)
            }
            Event::Lost(id) if id == attempt.new => self.fail(&attempt, Outcome::RolledBack, actions),
            Event::TimeUp => self.fail(&attempt, Outcome::RolledBack, actions),
            Event::Lost(id) if Some(id) == attempt.old => {
                State::Committed(Attempt { old: None, new: attempt.new })
            }
            Event::Change => {
                self.is_change_waiting = true;
                State::Committed(attempt)
            }
            Event::Said(..) | Event::Lost(_) | Event::RestartDue | Event::Stop => State::Committed(attempt),
        }
    }

    fn pausing(&mut self, mut pausing: Pausing, event: Event, actions: &mut Vec<Action>) -> State {
        let attempt = Attempt { old: Some(pausing.old), new: pausing.new };
        match event {
            Event::Said(id, Step::Paused) if id == pausing.old && pausing.is_healthy => {
                self.succeed(&attempt, actions)
            }
            Event::Said(id, Step::Paused) if id == pausing.old => State::Probation(attempt),
            // An old one that does not answer is drained all the same; the new one accepts already.
            Event::TimeUp if pausing.is_healthy => self.succeed(&attempt, actions),
            Event::TimeUp => State::Probation(attempt),
            Event::Lost(id) if id == pausing.old => {
                let attempt = Attempt { old: None, new: pausing.new };
                if pausing.is_healthy { self.succeed(&attempt, actions) } else { State::Probation(attempt) }
            }
            Event::Lost(id) if id == pausing.new => {
                actions.push(Action::Resume(pausing.old));
                self.fail(&attempt, Outcome::RolledBack, actions)
            }
            Event::Said(id, Step::Healthy) if id == pausing.new => {
                pausing.is_healthy = true;
                State::Pausing(pausing)
            }
            Event::Change => {
                self.is_change_waiting = true;
                State::Pausing(pausing)
            }
            Event::Said(..) | Event::Lost(_) | Event::RestartDue | Event::Stop => State::Pausing(pausing),
        }
    }

    fn probation(&mut self, attempt: Attempt, event: Event, actions: &mut Vec<Action>) -> State {
        let is_failure = match event {
            Event::Lost(id) => id == attempt.new,
            Event::TimeUp => true,
            Event::Change | Event::Said(..) | Event::RestartDue | Event::Stop => false,
        };
        if is_failure {
            if let Some(old) = attempt.old {
                actions.push(Action::Resume(old));
            }
            return self.fail(&attempt, Outcome::RolledBack, actions);
        }
        match event {
            Event::Said(id, Step::Healthy) if id == attempt.new => self.succeed(&attempt, actions),
            Event::Lost(id) if Some(id) == attempt.old => {
                State::Probation(Attempt { old: None, new: attempt.new })
            }
            Event::Change => {
                self.is_change_waiting = true;
                State::Probation(attempt)
            }
            Event::Said(..) | Event::Lost(_) | Event::TimeUp | Event::RestartDue | Event::Stop => {
                State::Probation(attempt)
            }
        }
    }

    fn succeed(&mut self, attempt: &Attempt, actions: &mut Vec<Action>) -> State {
        self.has_served = true;
        actions.push(Action::Settle(attempt.new, Outcome::Serves));
        if let Some(old) = attempt.old {
            actions.push(Action::Drain(old));
        }
        self.settled(Some(attempt.new), actions)
    }

    fn fail(&mut self, attempt: &Attempt, outcome: Outcome, actions: &mut Vec<Action>) -> State {
        actions.push(Action::Kill(attempt.new));
        actions.push(Action::Settle(attempt.new, outcome));
        self.settled(attempt.old, actions)
    }

    /// After an attempt is decided: a waiting change is tried at once, and without a current generation the last
    /// good one is started again.
    fn settled(&mut self, current: Option<GenerationId>, actions: &mut Vec<Action>) -> State {
        if std::mem::take(&mut self.is_change_waiting) {
            let new = self.number();
            actions.push(Action::Start(new));
            return State::Loading(Attempt { old: current, new });
        }
        if let Some(current) = current {
            return State::Serving(Serving { current });
        }
        actions.push(if self.has_served { Action::ScheduleRestart } else { Action::GiveUp });
        State::Empty
    }

    fn number(&mut self) -> GenerationId {
        let number = self.next;
        self.next = self.next.saturating_add(1);
        number
    }
}

/// Ends an attempt that does not accept yet and drains everything else.
fn stop(state: State, actions: &mut Vec<Action>) -> State {
    match state {
        State::Empty | State::Stopping => {}
        State::Serving(serving) => actions.push(Action::Drain(serving.current)),
        State::Loading(attempt) | State::Adopting(attempt) => {
            actions.push(Action::Kill(attempt.new));
            actions.push(Action::Settle(attempt.new, Outcome::Superseded));
            actions.extend(attempt.old.map(Action::Drain));
        }
        State::Committed(attempt) | State::Probation(attempt) => {
            actions.push(Action::Settle(attempt.new, Outcome::Superseded));
            actions.push(Action::Drain(attempt.new));
            actions.extend(attempt.old.map(Action::Drain));
        }
        State::Pausing(pausing) => {
            actions.push(Action::Settle(pausing.new, Outcome::Superseded));
            actions.extend([Action::Drain(pausing.new), Action::Drain(pausing.old)]);
        }
    }
    State::Stopping
}

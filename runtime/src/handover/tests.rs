//! Every order of messages, crashes, time-outs and changes up to a bound, explored against a model of generations.
//!
//! The model: a generation accepts from COMMIT or RESUME until PAUSE or DRAIN; messages wait in one queue each way;
//! a dead generation's sent messages still arrive, and then its loss. Two properties are checked: while nothing has
//! failed somebody always accepts, and when faults end and everything is delivered exactly one generation accepts
//! and it is the one that the supervisor believes in.

use super::*;
use std::collections::{BTreeMap, HashSet, VecDeque};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    handover: Handover,
    generations: BTreeMap<GenerationId, Model>,
    is_restart_pending: bool,
    changes_left: u8,
    faults_left: u8,
    seen: Seen,
}

/// What happened on the way here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Seen {
    /// The supervisor gave up.
    surrender: bool,
    /// Something died or was killed that may have been the only one accepting.
    failure: bool,
    /// A generation has served.
    service: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Model {
    is_alive: bool,
    is_accepting: bool,
    is_loss_known: bool,
    down: VecDeque<Say>,
    up: VecDeque<Event>,
}

/// What goes down to a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Say {
    Begin,
    Sockets,
    Commit,
    Pause,
    Resume,
    Drain,
}

/// One possible next step of the world.
#[derive(Clone, Copy, Debug)]
enum Move {
    Down(GenerationId),
    Up(GenerationId),
    Loss(GenerationId),
    Refuse(GenerationId),
    Crash(GenerationId),
    TimeUp,
    Change,
    Restart,
}

impl World {
    fn new(changes_left: u8, faults_left: u8) -> World {
        let mut world = World {
            handover: Handover::default(),
            generations: BTreeMap::new(),
            is_restart_pending: false,
            changes_left,
            faults_left,
            seen: Seen::default(),
        };
        world.event(Event::Change);
        world
    }

    fn moves(&self) -> Vec<Move> {
        let mut moves = self.deliveries();
        if self.faults_left > 0 {
            for (id, model) in &self.generations {
                if model.is_alive {
                    moves.push(Move::Crash(*id));
                }
                if model.is_alive && model.down.front() == Some(&Say::Begin) {
                    moves.push(Move::Refuse(*id));
                }
            }
            if self.handover.patience() != Patience::Endless {
                moves.push(Move::TimeUp);
            }
        }
        if self.changes_left > 0 {
            moves.push(Move::Change);
        }
        moves
    }

    /// The moves that happen by themselves when nothing is disturbed.
    fn deliveries(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for (id, model) in &self.generations {
            if model.is_alive && !model.down.is_empty() {
                moves.push(Move::Down(*id));
            }
            if !model.up.is_empty() {
                moves.push(Move::Up(*id));
            } else if !model.is_alive && !model.is_loss_known {
                moves.push(Move::Loss(*id));
            }
        }
        if self.is_restart_pending {
            moves.push(Move::Restart);
        }
        moves
    }

    fn apply(&mut self, step: Move) {
        match step {
            Move::Down(id) => self.hear(id),
            Move::Up(id) => {
                if let Some(event) = self.model(id).up.pop_front() {
                    self.event(event);
                }
            }
            Move::Loss(id) => {
                self.model(id).is_loss_known = true;
                self.event(Event::Lost(id));
            }
            Move::Refuse(id) => {
                self.faults_left -= 1;
                self.model(id).down.clear();
                self.model(id).up.push_back(Event::Said(id, Step::Refused));
            }
            Move::Crash(id) => {
                self.faults_left -= 1;
                self.seen.failure = true;
                self.die(id);
            }
            Move::TimeUp => {
                self.faults_left -= 1;
                // A time-out after COMMIT kills a generation that may be the only one accepting.
                self.seen.failure |= self.handover.patience() == Patience::Answer;
                self.event(Event::TimeUp);
            }
            Move::Change => {
                self.changes_left -= 1;
                self.event(Event::Change);
            }
            Move::Restart => {
                self.is_restart_pending = false;
                self.event(Event::RestartDue);
            }
        }
    }

    fn hear(&mut self, id: GenerationId) {
        let model = self.model(id);
        match model.down.pop_front() {
            Some(Say::Begin) => model.up.push_back(Event::Said(id, Step::Bound)),
            Some(Say::Sockets) => model.up.push_back(Event::Said(id, Step::Ready)),
            Some(Say::Commit) => {
                model.is_accepting = true;
                model.up.extend([Event::Said(id, Step::Accepting), Event::Said(id, Step::Healthy)]);
            }
            Some(Say::Resume) => {
                model.is_accepting = true;
                model.up.push_back(Event::Said(id, Step::Accepting));
            }
            Some(Say::Pause) => {
                model.is_accepting = false;
                model.up.push_back(Event::Said(id, Step::Paused));
            }
            Some(Say::Drain) => self.die(id),
            None => {}
        }
    }

    fn event(&mut self, event: Event) {
        let (handover, actions) = std::mem::take(&mut self.handover).step(event);
        self.handover = handover;
        for action in actions {
            match action {
                Action::Start(id) | Action::StartLast(id) => {
                    let known = self.generations.insert(
                        id,
                        Model {
                            is_alive: true,
                            is_accepting: false,
                            is_loss_known: false,
                            down: VecDeque::from([Say::Begin]),
                            up: VecDeque::new(),
                        },
                    );
                    assert!(known.is_none(), "generation {id} was started twice");
                    self.is_restart_pending = false;
                }
                Action::Pass(id) => self.model(id).down.push_back(Say::Sockets),
                Action::Commit(id) => self.model(id).down.push_back(Say::Commit),
                Action::Pause(id) => self.model(id).down.push_back(Say::Pause),
                Action::Resume(id) => self.model(id).down.push_back(Say::Resume),
                Action::Drain(id) => self.model(id).down.push_back(Say::Drain),
                Action::Kill(id) => self.die(id),
                Action::Settle(_, outcome) => self.seen.service |= outcome == Outcome::Serves,
                Action::ScheduleRestart => self.is_restart_pending = true,
                Action::GiveUp => self.seen.surrender = true,
            }
        }
    }

    fn die(&mut self, id: GenerationId) {
        let model = self.model(id);
        model.is_alive = false;
        model.is_accepting = false;
        model.down.clear();
    }

    fn model(&mut self, id: GenerationId) -> &mut Model {
        self.generations.get_mut(&id).expect("actions and messages name generations that were started")
    }

    fn accepting(&self) -> Vec<GenerationId> {
        self.generations.iter().filter(|(_, model)| model.is_accepting).map(|(id, _)| *id).collect()
    }

    /// Delivers everything without further faults and checks where the world comes to rest.
    fn check_rest(&self) {
        let mut world = self.clone();
        for _ in 0..1_000 {
            let Some(step) = world.deliveries().first().copied() else {
                if world.seen.surrender {
                    assert!(!self.seen.service, "gave up although something had served: {self:#?}");
                    return;
                }
                let State::Serving(Serving { current }) = *world.handover.state() else {
                    // Only a lost time-out can leave a state open, and the model never loses messages.
                    panic!("rests in {:?} after {self:#?}", world.handover.state());
                };
                assert_eq!(world.accepting(), [current], "after {self:#?}");
                return;
            };
            world.apply(step);
        }
        panic!("never rests: {self:#?}");
    }
}

/// Explores all orders; gives the number of distinct worlds seen.
fn explore(n_changes: u8, n_faults: u8) -> usize {
    let first = World::new(n_changes, n_faults);
    let mut seen = HashSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(world) = open.pop() {
        if world.seen.service && !world.seen.failure {
            assert!(!world.accepting().is_empty(), "nobody accepts: {world:#?}");
        }
        world.check_rest();
        if world.seen.surrender {
            continue;
        }
        for step in world.moves() {
            let mut next = world.clone();
            next.apply(step);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    seen.len()
}

#[test]
fn without_faults_somebody_always_accepts() {
    assert!(explore(3, 0) > 500);
}

#[test]
fn any_two_faults_around_a_change_end_with_one_accepting_generation() {
    assert!(explore(1, 2) > 1_000);
}

#[test]
fn one_fault_among_two_changes_ends_with_one_accepting_generation() {
    assert!(explore(2, 1) > 1_000);
}

/// Feeds events and shows the actions of the last one.
fn after(events: &[Event]) -> (State, Vec<Action>) {
    let mut handover = Handover::default();
    let mut last = Vec::new();
    for event in events {
        (handover, last) = handover.step(*event);
    }
    (handover.state, last)
}

const SERVING: [Event; 5] = [
    Event::Change,
    Event::Said(1, Step::Bound),
    Event::Said(1, Step::Ready),
    Event::Said(1, Step::Accepting),
    Event::Said(1, Step::Healthy),
];

fn after_serving(events: &[Event]) -> (State, Vec<Action>) {
    after(&[&SERVING, events].concat())
}

#[test]
fn the_plain_way() {
    let (state, actions) = after_serving(&[
        Event::Change,
        Event::Said(2, Step::Bound),
        Event::Said(2, Step::Ready),
        Event::Said(2, Step::Accepting),
        Event::Said(1, Step::Paused),
        Event::Said(2, Step::Healthy),
    ]);
    assert_eq!(state, State::Serving(Serving { current: 2 }));
    assert_eq!(actions, [Action::Settle(2, Outcome::Serves), Action::Drain(1)]);
}

#[test]
fn a_broken_first_configuration_gives_up() {
    let (_, actions) = after(&[Event::Change, Event::Said(1, Step::Refused)]);
    assert_eq!(actions, [Action::Kill(1), Action::Settle(1, Outcome::Refused), Action::GiveUp]);
}

#[test]
fn a_broken_change_leaves_the_old_one_alone() {
    let (state, actions) = after_serving(&[Event::Change, Event::Said(2, Step::Refused)]);
    assert_eq!(state, State::Serving(Serving { current: 1 }));
    assert_eq!(actions, [Action::Kill(2), Action::Settle(2, Outcome::Refused)]);
}

#[test]
fn a_change_during_an_attempt_replaces_it() {
    let (state, actions) = after_serving(&[Event::Change, Event::Change]);
    assert_eq!(state, State::Loading(Attempt { old: Some(1), new: 3 }));
    assert_eq!(actions, [Action::Kill(2), Action::Settle(2, Outcome::Superseded), Action::Start(3)]);
}

#[test]
fn a_loss_in_probation_resumes_the_old_one() {
    let events = [
        Event::Change,
        Event::Said(2, Step::Bound),
        Event::Said(2, Step::Ready),
        Event::Said(2, Step::Accepting),
        Event::Said(1, Step::Paused),
    ];
    let (state, actions) = after_serving(&[&events[..], &[Event::Lost(2)]].concat());
    assert_eq!(state, State::Serving(Serving { current: 1 }));
    assert_eq!(actions, [Action::Resume(1), Action::Kill(2), Action::Settle(2, Outcome::RolledBack)]);
}

#[test]
fn a_crash_of_the_only_one_restarts_what_served() {
    let (state, actions) = after_serving(&[Event::Lost(1)]);
    assert_eq!((state, actions), (State::Empty, vec![Action::ScheduleRestart]));
    let (_, actions) = after_serving(&[Event::Lost(1), Event::RestartDue]);
    assert_eq!(actions, [Action::StartLast(2)]);
}

#[test]
fn stopping_drains_what_accepts_and_kills_what_does_not() {
    let (state, actions) = after_serving(&[Event::Change, Event::Stop]);
    assert_eq!(state, State::Stopping);
    assert_eq!(actions, [Action::Kill(2), Action::Settle(2, Outcome::Superseded), Action::Drain(1)]);
}

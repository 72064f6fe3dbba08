// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.ge.redis.cache.Interleavings.Step;

/**
 * One row of a database and its entry, with writers and readers. A step is what happens
 * at once: a statement, a commit, a script. The value of an entry is the version of the
 * row that it shows.
 * <p>
 * This says what the scripts are to do without saying how: time is missing. Instead,
 * whatever ends by time may end at any moment. {@link CacheProtocolIntegrationTests}
 * compares the scripts themselves.
 */
final class EntryInterleavings implements Interleavings.Protocol<EntryInterleavings.State> {

	private static final int ABSENT = 0;

	/** Leases up to here are those that readers share. */
	private static final int OPEN = -100;

	private final Set<Event> events;

	private final Set<Hole> holes;

	private final List<Kind> parties;

	private final int rounds;

	/**
	 * Creates a model.
	 * @param events what may happen beside the parties' own steps
	 * @param holes what is left out of the protocol
	 * @param rounds how often each party comes
	 */
	EntryInterleavings(Set<Event> events, Set<Hole> holes, int rounds, Kind... parties) {
		this.events = events;
		this.holes = holes;
		this.rounds = rounds;
		this.parties = List.of(parties);
	}

	static Set<Hole> complete() {
		return EnumSet.noneOf(Hole.class);
	}

	@Override
	public List<State> starts() {
		List<Party> all = new ArrayList<>();
		this.parties.forEach((kind) -> all.add(new Party(kind, 0, 0, false, this.rounds, ABSENT)));
		List<State> starts = new ArrayList<>();
		for (int entry : List.of(ABSENT, value(0))) {
			starts.add(new State(0, -1, entry, 0, 0, List.of(), all, this.rounds));
		}
		return starts;
	}

	private static int value(int version) {
		return version + 1;
	}

	private static int lease(int reader) {
		return -reader - 1;
	}

	@Override
	public boolean isStale(State state) {
		return state.entry > 0 && state.entry != value(state.row);
	}

	@Override
	public List<Step<State>> steps(State state) {
		List<Step<State>> steps = new ArrayList<>();
		for (int i = 0; i < state.parties.size(); i++) {
			Party party = state.parties.get(i);
			if (party.rounds > 0) {
				switch (party.kind) {
					case WRITER -> writer(state, i, party, steps);
					case UNLOCKED -> unlocked(state, i, party, steps);
					case READER -> reader(state, i, party, steps);
					case OPEN, OPEN_CHANGE -> openReader(state, i, party, steps);
					case SNAPSHOT -> snapshotReader(state, i, party, steps);
				}
			}
		}
		if (this.events.contains(Event.EXPIRY) && state.expiries > 0 && state.entry != ABSENT && isAlive(state)) {
			steps.add(new Step<>("expiry", state.entry(ABSENT).oneExpiryLess()));
		}
		for (Ticket ticket : state.pending) {
			boolean alive = state.parties.get(ticket.writer).phase != 0 && state.round(ticket.writer) == ticket.round;
			if (!alive || this.events.contains(Event.OVERRUN)) {
				steps.add(new Step<>("time of " + ticket.writer + " over", overrun(state, ticket)));
			}
		}
		return steps;
	}

	private static boolean isAlive(State state) {
		return state.parties.stream().anyMatch((party) -> party.rounds > 0);
	}

	// Writers: 0 before, 1 row changed and locked, 2 announced, 3 committed; 4 and 5 as 2
	// and 3, but unannounced

	private void writer(State state, int i, Party party, List<Step<State>> steps) {
		switch (party.phase) {
			case 0 -> {
				if (state.lockedBy < 0) {
					steps.add(new Step<>("w" + i + " changes", state.lockedBy(i).phase(i, 1)));
				}
			}
			case 1 -> {
				steps.add(new Step<>("w" + i + " announces", announce(state, i, true).phase(i, 2)));
				if (this.events.contains(Event.UNREACHABLE)) {
					steps.add(new Step<>("w" + i + " cannot announce", state.phase(i, 4)));
				}
				ended(state, i, steps);
			}
			case 2, 4 -> {
				steps.add(new Step<>("w" + i + " commits", commit(state, i).lockedBy(-1).phase(i, party.phase + 1)));
				ended(state, i, steps);
			}
			case 5 -> steps.add(new Step<>("w" + i + " removes", invalidate(state, i)));
			default -> {
				steps.add(new Step<>("w" + i + " finishes", publish(state, i, true)));
				crashAfterCommit(state, i, steps);
			}
		}
	}

	private void ended(State state, int i, List<Step<State>> steps) {
		if (this.events.contains(Event.ROLLBACK)) {
			Ticket own = state.ticket(i);
			State taken = (own != null) ? state.without(own) : state;
			steps.add(new Step<>("w" + i + " rolls back", taken.lockedBy(-1).done(i)));
		}
		if (this.events.contains(Event.CRASH)) {
			steps.add(new Step<>("w" + i + " dies", state.lockedBy(-1).done(i)));
		}
	}

	// Without transaction: 0 before, 1 announced, 2 changed

	private void unlocked(State state, int i, Party party, List<Step<State>> steps) {
		switch (party.phase) {
			case 0 -> steps.add(new Step<>("u" + i + " announces", announce(state, i, false).phase(i, 1)));
			case 1 -> {
				if (state.lockedBy < 0) {
					steps.add(new Step<>("u" + i + " changes", commit(state, i).phase(i, 2)));
				}
			}
			default -> {
				steps.add(new Step<>("u" + i + " finishes", publish(state, i, false)));
				crashAfterCommit(state, i, steps);
			}
		}
	}

	// Whoever dies after its commit without an announcement that stands is the window
	// that only the TTL ends: who overran its time or could not announce
	private void crashAfterCommit(State state, int i, List<Step<State>> steps) {
		if (this.events.contains(Event.CRASH) && state.ticket(i) != null) {
			steps.add(new Step<>("w" + i + " dies after the commit", state.done(i)));
		}
	}

	private static State commit(State state, int i) {
		return state.row(state.row + 1).seen(i, state.row + 1);
	}

	private State announce(State state, int i, boolean locked) {
		boolean keepsLease = this.holes.contains(Hole.ANNOUNCEMENT_KEEPS_LEASES) && state.entry < 0;
		boolean alone = state.pending.isEmpty();
		State next = keepsLease ? state : state.entry(ABSENT);
		return next.with(new Ticket(i, state.round(i), state.last + 1, locked, alone)).disturbed();
	}

	private State overrun(State state, Ticket ticket) {
		State next = state.without(ticket).disturbed();
		if (this.holes.contains(Hole.OVERRUN_COUNTS_FOR_NOTHING)) {
			return next;
		}
		return next.applied(ticket.locked ? ticket.number : state.last);
	}

	private State publish(State state, int i, boolean locked) {
		Ticket own = state.ticket(i);
		int seen = state.parties.get(i).seen;
		boolean newest = own != null && (own.number > state.applied || this.holes.contains(Hole.OLDER_TICKETS_PUBLISH));
		boolean alone = state.pending.stream().allMatch((ticket) -> ticket.writer == i);
		boolean publish;
		if (locked || this.holes.contains(Hole.UNLOCKED_TICKETS_COUNT)) {
			publish = newest && (alone || this.holes.contains(Hole.PUBLISHES_BESIDE_OTHERS));
		}
		else {
			publish = newest && own.alone && own.number == state.last;
		}
		State next = (own != null) ? state.without(own) : state;
		if (!locked && !this.holes.contains(Hole.UNLOCKED_TICKETS_COUNT)) {
			next = next.applied(state.last);
		}
		else if (own != null) {
			next = next.applied(own.number);
		}
		boolean keeps = !publish && this.holes.contains(Hole.REFUSED_WRITER_LEAVES_ENTRY);
		return next.entry(publish ? value(seen) : (keeps ? state.entry : ABSENT)).disturbed().done(i);
	}

	private State invalidate(State state, int i) {
		boolean keepsLease = this.holes.contains(Hole.INVALIDATION_KEEPS_LEASES) && state.entry < 0;
		boolean keepsTickets = this.holes.contains(Hole.INVALIDATION_KEEPS_TICKETS);
		State next = keepsLease ? state : state.entry(ABSENT);
		return next.applied(keepsTickets ? state.applied : state.last).disturbed().done(i);
	}

	// Readers: 0 before, 1 snapshot taken, 2 leased, 3 loaded

	private void reader(State state, int i, Party party, List<Step<State>> steps) {
		switch (party.phase) {
			case 0 -> lookUp(state, i, steps);
			case 2 -> steps.add(new Step<>("r" + i + " loads", state.seen(i, state.row).phase(i, 3)));
			default -> steps.add(new Step<>("r" + i + " fills", fill(state, i)));
		}
	}

	private void snapshotReader(State state, int i, Party party, List<Step<State>> steps) {
		switch (party.phase) {
			case 0 -> steps.add(new Step<>("s" + i + " begins", state.party(i,
					new Party(party.kind, 1, state.row, !state.pending.isEmpty(), party.rounds, ABSENT))));
			case 1 -> lookUp(state, i, steps);
			default -> steps.add(new Step<>("s" + i + " fills", fill(state, i)));
		}
	}

	// Readers that share a lease: 0 before, 2 leased, 3 loaded, or changed unannounced

	private void openReader(State state, int i, Party party, List<Step<State>> steps) {
		boolean changes = party.kind == Kind.OPEN_CHANGE;
		switch (party.phase) {
			case 0 -> lookUp(state, i, steps);
			case 2 -> {
				if (!changes) {
					steps.add(new Step<>("o" + i + " loads", state.seen(i, state.row).phase(i, 3)));
				}
				else if (state.lockedBy < 0) {
					steps.add(new Step<>("o" + i + " changes", commit(state, i).phase(i, 3)));
				}
			}
			default -> steps.add(new Step<>("o" + i + " fills", fillOpen(state, i, changes)));
		}
	}

	private State fillOpen(State state, int i, boolean changes) {
		Party party = state.parties.get(i);
		if (state.entry == party.lease) {
			return state.entry(value(party.seen)).done(i);
		}
		boolean stands = changes ? this.holes.contains(Hole.LATE_CHANGES_STAND) : !party.disturbed;
		if (stands || state.entry == value(party.seen)) {
			return state.done(i);
		}
		// Does not disturb others that share a lease, but readers of an old snapshot
		State next = state.entry(ABSENT).applied(state.last);
		return next.disturbed((kind) -> kind == Kind.SNAPSHOT).done(i);
	}

	private void lookUp(State state, int i, List<Step<State>> steps) {
		boolean open = state.parties.get(i).isOpen();
		if (state.entry > 0) {
			steps.add(new Step<>("r" + i + " hits", state.done(i)));
		}
		else if (state.entry <= OPEN && open) {
			steps.add(new Step<>("o" + i + " shares the lease", state.leased(i, state.entry)));
		}
		else if (state.entry < 0 && state.entry > OPEN) {
			steps.add(new Step<>("r" + i + " goes without", state.done(i)));
		}
		else if (!state.pending.isEmpty() && !this.holes.contains(Hole.LEASES_BESIDE_WRITERS)) {
			steps.add(new Step<>("r" + i + " passes by", state.done(i)));
		}
		else {
			int lease = open ? OPEN - 10 * i - state.round(i) : lease(i);
			steps.add(new Step<>("r" + i + " leases", state.entry(lease).leased(i, lease)));
			if (this.events.contains(Event.CRASH)) {
				steps.add(new Step<>("r" + i + " leases and dies", state.entry(lease).done(i)));
			}
		}
	}

	private State fill(State state, int i) {
		Party party = state.parties.get(i);
		boolean holds = state.entry == lease(i) || this.holes.contains(Hole.FILLS_WITHOUT_LEASE);
		if (!holds) {
			return state.done(i);
		}
		boolean old = party.kind == Kind.SNAPSHOT && party.disturbed && !this.holes.contains(Hole.NO_SNAPSHOT_GUARD);
		return state.entry(old ? ABSENT : value(party.seen)).done(i);
	}

	enum Kind {

		/** Holds the lock of its row while it announces itself. */
		WRITER,

		/** Has no transaction: announces itself before its change. */
		UNLOCKED,

		/** Loads what is committed. */
		READER,

		/** Loads what was committed when its transaction began. */
		SNAPSHOT,

		/** Loads what is committed, by a lease that it shares. */
		OPEN,

		/**
		 * Asks as such a reader, but puts a change that it makes without announcement.
		 */
		OPEN_CHANGE

	}

	enum Event {

		/** A transaction is rolled back. */
		ROLLBACK,

		/** A party dies. */
		CRASH,

		/** A value or a lease ends. */
		EXPIRY,

		/** A writer that goes on takes longer than its announcement holds. */
		OVERRUN,

		/** Redis cannot be told before the commit. */
		UNREACHABLE

	}

	/**
	 * A step of the protocol that is left out.
	 */
	enum Hole {

		ANNOUNCEMENT_KEEPS_LEASES, LEASES_BESIDE_WRITERS, OLDER_TICKETS_PUBLISH, PUBLISHES_BESIDE_OTHERS,
		REFUSED_WRITER_LEAVES_ENTRY, OVERRUN_COUNTS_FOR_NOTHING, UNLOCKED_TICKETS_COUNT, INVALIDATION_KEEPS_LEASES,
		INVALIDATION_KEEPS_TICKETS, FILLS_WITHOUT_LEASE, NO_SNAPSHOT_GUARD, LATE_CHANGES_STAND

	}

	/**
	 * A reader or a writer.
	 *
	 * @param kind what it does
	 * @param phase how far it is
	 * @param seen the version of the row that it has loaded or written
	 * @param disturbed whether a writer was at work since its snapshot, or since it asked
	 * @param rounds how often it still comes
	 * @param lease the lease that it has
	 */
	record Party(Kind kind, int phase, int seen, boolean disturbed, int rounds, int lease) {

		boolean isOpen() {
			return this.kind == Kind.OPEN || this.kind == Kind.OPEN_CHANGE;
		}

	}

	/**
	 * An announcement.
	 */
	record Ticket(int writer, int round, int number, boolean locked, boolean alone) {
	}

	/**
	 * All there is.
	 *
	 * @param row the committed version of the row
	 * @param lockedBy who has changed it, or -1
	 * @param entry absent, a value or a lease
	 * @param last the last ticket
	 * @param applied the highest ticket that was applied
	 * @param pending announcements
	 * @param parties readers and writers
	 * @param expiries how often something may still expire
	 */
	record State(int row, int lockedBy, int entry, int last, int applied, List<Ticket> pending, List<Party> parties,
			int expiries) {

		Ticket ticket(int writer) {
			for (Ticket ticket : this.pending) {
				if (ticket.writer == writer && ticket.round == round(writer)) {
					return ticket;
				}
			}
			return null;
		}

		int round(int party) {
			return this.parties.get(party).rounds;
		}

		State party(int i, Party party) {
			List<Party> all = new ArrayList<>(this.parties);
			all.set(i, party);
			return new State(this.row, this.lockedBy, this.entry, this.last, this.applied, this.pending, all,
					this.expiries);
		}

		private State party(int i, UnaryOperator<Party> change) {
			return party(i, change.apply(this.parties.get(i)));
		}

		State phase(int i, int phase) {
			return party(i, (old) -> new Party(old.kind, phase, old.seen, old.disturbed, old.rounds, old.lease));
		}

		State leased(int i, int lease) {
			return party(i, (old) -> new Party(old.kind, 2, old.seen, old.disturbed, old.rounds, lease));
		}

		State seen(int i, int version) {
			return party(i, (old) -> new Party(old.kind, old.phase, version, old.disturbed, old.rounds, old.lease));
		}

		State done(int i) {
			return party(i, (old) -> new Party(old.kind, 0, 0, false, old.rounds - 1, ABSENT));
		}

		State disturbed() {
			return disturbed((kind) -> kind == Kind.SNAPSHOT || kind == Kind.OPEN);
		}

		State disturbed(Predicate<Kind> kinds) {
			State next = this;
			for (int i = 0; i < this.parties.size(); i++) {
				if (kinds.test(this.parties.get(i).kind) && this.parties.get(i).phase > 0) {
					next = next.party(i,
							(old) -> new Party(old.kind, old.phase, old.seen, true, old.rounds, old.lease));
				}
			}
			return next;
		}

		State lockedBy(int party) {
			return new State(this.row, party, this.entry, this.last, this.applied, this.pending, this.parties,
					this.expiries);
		}

		State row(int committed) {
			return new State(committed, this.lockedBy, this.entry, this.last, this.applied, this.pending, this.parties,
					this.expiries);
		}

		State entry(int content) {
			return new State(this.row, this.lockedBy, content, this.last, this.applied, this.pending, this.parties,
					this.expiries);
		}

		State applied(int ticket) {
			return new State(this.row, this.lockedBy, this.entry, this.last, Math.max(ticket, this.applied),
					this.pending, this.parties, this.expiries);
		}

		State with(Ticket ticket) {
			List<Ticket> all = new ArrayList<>(this.pending);
			all.add(ticket);
			return new State(this.row, this.lockedBy, this.entry, ticket.number, this.applied, all, this.parties,
					this.expiries);
		}

		State without(Ticket ticket) {
			List<Ticket> all = new ArrayList<>(this.pending);
			all.remove(ticket);
			return new State(this.row, this.lockedBy, this.entry, this.last, this.applied, all, this.parties,
					this.expiries);
		}

		State oneExpiryLess() {
			return new State(this.row, this.lockedBy, this.entry, this.last, this.applied, this.pending, this.parties,
					this.expiries - 1);
		}

	}

}

// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.ge.redis.cache.Interleavings.Step;

/**
 * Data from which a tagged entry is made, instances that know versions of the tag by news
 * that come late or never, one that invalidates the tag after each of its changes, and
 * readers.
 * <p>
 * Stale is what an instance would read after it has had its knowledge confirmed, also one
 * that has just started.
 */
final class TagInterleavings implements Interleavings.Protocol<TagInterleavings.State> {

	private static final int INSTANCES = 2;

	private static final Entry NONE = new Entry(-1, 0, 0);

	private final Set<Hole> holes;

	private final boolean loss;

	private final List<Kind> parties;

	/**
	 * Creates a model.
	 * @param loss whether Redis may lose the versions while entries stay
	 * @param holes what is left out of the protocol
	 */
	TagInterleavings(boolean loss, Set<Hole> holes, Kind... parties) {
		this.loss = loss;
		this.holes = holes;
		this.parties = List.of(parties);
	}

	@Override
	public List<State> starts() {
		List<Party> all = new ArrayList<>();
		this.parties.forEach((kind) -> all.add(new Party(kind, 0, 0, 0, false)));
		State empty = new State(0, 1, 1, List.of(1, 1), List.of(List.of(), List.of()), NONE, all, this.loss);
		return List.of(empty, empty.entry(new Entry(-1, 0, 1)));
	}

	@Override
	public boolean isStale(State state) {
		if (!state.entry.isValue() || state.entry.row == state.row) {
			return false;
		}
		for (int instance = 0; instance < INSTANCES; instance++) {
			if (!isOutdated(look(state, instance), instance)) {
				return true;
			}
		}
		return !isOutdated(look(state.known(0, 0), 0), 0);
	}

	private boolean isOutdated(State state, int instance) {
		return state.known.get(instance) > state.entry.stamp;
	}

	private State look(State state, int instance) {
		int known = state.known.get(instance);
		if ((state.version == 0 || state.version < known) && !this.holes.contains(Hole.LOSS_GOES_UNNOTICED)) {
			// Whatever was stored until now counts as outdated
			int cleared = state.clock + 1;
			return state.version(cleared).known(instance, cleared);
		}
		return state.known(instance, Math.max(known, state.version));
	}

	@Override
	public List<Step<State>> steps(State state) {
		List<Step<State>> steps = new ArrayList<>();
		for (int i = 0; i < state.parties.size(); i++) {
			Party party = state.parties.get(i);
			if (party.phase < 9) {
				switch (party.kind) {
					case INVALIDATOR -> invalidator(state, i, party, steps);
					case READER -> reader(state, i, party, steps);
					case SNAPSHOT -> snapshotReader(state, i, party, steps);
				}
			}
		}
		for (int instance = 0; instance < INSTANCES; instance++) {
			for (int version : state.news.get(instance)) {
				steps.add(new Step<>("news " + version + " at " + instance, state.heard(instance, version, true)));
				steps.add(new Step<>("news " + version + " lost", state.heard(instance, version, false)));
			}
			if (isAlive(state) && (state.known.get(instance) < state.version || state.version == 0)) {
				steps.add(new Step<>("look at " + instance, looked(state, instance)));
			}
		}
		if (state.mayBeLost && isAlive(state)) {
			steps.add(new Step<>("loss", state.lost()));
		}
		return steps;
	}

	private State looked(State state, int instance) {
		State next = look(state, instance);
		return (next.known.get(instance) > state.known.get(instance)) ? next.stirred(instance) : next;
	}

	private static boolean isAlive(State state) {
		return state.parties.stream().anyMatch((party) -> party.phase < 9);
	}

	private void invalidator(State state, int i, Party party, List<Step<State>> steps) {
		boolean early = this.holes.contains(Hole.INVALIDATES_BEFORE_THE_COMMIT);
		if (party.phase == 0) {
			steps.add(early ? new Step<>("invalidates", invalidate(state, i).phase(i, 1))
					: new Step<>("commits", state.row(state.row + 1).phase(i, 1)));
		}
		else {
			steps.add(early ? new Step<>("commits", state.row(state.row + 1).phase(i, 9))
					: new Step<>("invalidates", invalidate(state, i).phase(i, 9)));
		}
	}

	private State invalidate(State state, int i) {
		int instance = i % INSTANCES;
		int version = Math.max(state.clock, Math.max(state.version, state.known.get(instance))) + 1;
		State next = state.version(version).known(instance, version).stirred(instance);
		return next.published(1 - instance, version);
	}

	// 0 before, 2 leased, 3 stamped, 4 loaded
	private void reader(State state, int i, Party party, List<Step<State>> steps) {
		boolean late = this.holes.contains(Hole.STAMPS_AFTER_THE_LOAD);
		switch (party.phase) {
			case 0 -> lookUp(state, i, steps);
			case 2 -> steps.add(late ? new Step<>("r" + i + " loads", load(state, i, 3))
					: new Step<>("stamps", stamp(state, i, 3)));
			case 3 -> steps.add(late ? new Step<>("stamps", stamp(state, i, 4))
					: new Step<>("r" + i + " loads", load(state, i, 4)));
			default -> steps.add(new Step<>("r" + i + " fills", fill(state, i)));
		}
	}

	// 0 before, 1 snapshot taken, 2 leased, 3 stamped
	private void snapshotReader(State state, int i, Party party, List<Step<State>> steps) {
		switch (party.phase) {
			case 0 -> steps.add(new Step<>("s" + i + " begins", load(state, i, 1)));
			case 1 -> lookUp(state, i, steps);
			case 2 -> steps.add(new Step<>("s" + i + " stamps", stamp(state, i, 3)));
			default -> steps.add(new Step<>("s" + i + " fills", fill(state, i)));
		}
	}

	private void lookUp(State state, int i, List<Step<State>> steps) {
		if (state.entry.isValue() && !isOutdated(state, i % INSTANCES)) {
			steps.add(new Step<>("r" + i + " hits", state.phase(i, 9)));
		}
		else if (state.entry.leasedBy >= 0) {
			steps.add(new Step<>("r" + i + " goes without", state.phase(i, 9)));
		}
		else {
			steps.add(new Step<>("r" + i + " leases", state.entry(new Entry(i, 0, 0)).phase(i, 2)));
		}
	}

	private static State stamp(State state, int i, int phase) {
		Party party = state.parties.get(i);
		return state.party(i, new Party(party.kind, phase, party.row, state.known.get(i % INSTANCES), party.disturbed));
	}

	private static State load(State state, int i, int phase) {
		Party party = state.parties.get(i);
		return state.party(i, new Party(party.kind, phase, state.row, party.stamp, party.disturbed));
	}

	private State fill(State state, int i) {
		Party party = state.parties.get(i);
		if (state.entry.leasedBy != i) {
			return state.phase(i, 9);
		}
		boolean old = party.kind == Kind.SNAPSHOT && party.disturbed && !this.holes.contains(Hole.NO_TRANSACTION_GUARD);
		Entry filled = new Entry(-1, party.row, party.stamp);
		return (old ? state.entry(NONE) : state.entry(filled)).phase(i, 9);
	}

	enum Kind {

		/** Changes the data, then invalidates the tag. */
		INVALIDATOR,

		/** Loads what is committed. */
		READER,

		/** Loads what was committed when its transaction began. */
		SNAPSHOT

	}

	/**
	 * A step of the protocol that is left out.
	 */
	enum Hole {

		STAMPS_AFTER_THE_LOAD, NO_TRANSACTION_GUARD, INVALIDATES_BEFORE_THE_COMMIT, LOSS_GOES_UNNOTICED

	}

	/**
	 * A reader, or one who changes and invalidates.
	 */
	record Party(Kind kind, int phase, int row, int stamp, boolean disturbed) {
	}

	/**
	 * What is stored.
	 *
	 * @param leasedBy a reader, or -1 for a value, or for nothing if the stamp is zero
	 * @param row what the value shows
	 * @param stamp the version that its loader knew
	 */
	record Entry(int leasedBy, int row, int stamp) {

		boolean isValue() {
			return this.leasedBy < 0 && this.stamp > 0;
		}

	}

	/**
	 * All there is.
	 *
	 * @param row the committed version of the data
	 * @param version the version of the tag in Redis, or 0 if lost
	 * @param clock the highest version ever
	 * @param known the version that each instance knows
	 * @param news versions under way to each instance
	 * @param entry the entry
	 * @param parties readers and others
	 * @param mayBeLost whether Redis may still lose the version
	 */
	record State(int row, int version, int clock, List<Integer> known, List<List<Integer>> news, Entry entry,
			List<Party> parties, boolean mayBeLost) {

		State row(int committed) {
			return new State(committed, this.version, this.clock, this.known, this.news, this.entry, this.parties,
					this.mayBeLost);
		}

		State version(int next) {
			return new State(this.row, next, Math.max(this.clock, next), this.known, this.news, this.entry,
					this.parties, this.mayBeLost);
		}

		State lost() {
			return new State(this.row, 0, this.clock, this.known, this.news, this.entry, this.parties, false);
		}

		State known(int instance, int version) {
			return new State(this.row, this.version, this.clock, with(this.known, instance, version), this.news,
					this.entry, this.parties, this.mayBeLost);
		}

		State published(int instance, int version) {
			List<Integer> all = new ArrayList<>(this.news.get(instance));
			all.add(version);
			return new State(this.row, this.version, this.clock, this.known, with(this.news, instance, all), this.entry,
					this.parties, this.mayBeLost);
		}

		State heard(int instance, int version, boolean arrives) {
			List<Integer> all = new ArrayList<>(this.news.get(instance));
			all.remove(Integer.valueOf(version));
			State next = new State(this.row, this.version, this.clock, this.known, with(this.news, instance, all),
					this.entry, this.parties, this.mayBeLost);
			return (arrives && version > this.known.get(instance)) ? next.known(instance, version).stirred(instance)
					: next;
		}

		/**
		 * An instance has heard of a version: its readers in transactions are told.
		 */
		State stirred(int instance) {
			State next = this;
			for (int i = 0; i < this.parties.size(); i++) {
				Party party = this.parties.get(i);
				if (i % INSTANCES == instance && party.kind == Kind.SNAPSHOT && party.phase > 0) {
					next = next.party(i, new Party(party.kind, party.phase, party.row, party.stamp, true));
				}
			}
			return next;
		}

		State entry(Entry content) {
			return new State(this.row, this.version, this.clock, this.known, this.news, content, this.parties,
					this.mayBeLost);
		}

		State phase(int i, int phase) {
			Party party = this.parties.get(i);
			return party(i, new Party(party.kind, phase, party.row, party.stamp, party.disturbed));
		}

		State party(int i, Party party) {
			return new State(this.row, this.version, this.clock, this.known, this.news, this.entry,
					with(this.parties, i, party), this.mayBeLost);
		}

		private static <T> List<T> with(List<T> list, int i, T element) {
			List<T> all = new ArrayList<>(list);
			all.set(i, element);
			return all;
		}

	}

}

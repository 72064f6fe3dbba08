// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What the scripts of the cache are to do, said once more and without Redis.
 */
final class CacheProtocolModel {

	private final Map<String, Pending> pending = new HashMap<>();

	private final Map<String, List<Long>> seen = new HashMap<>();

	private static final String RESTING = "F";

	/** Begins the token of a reader that shares its lease. */
	private static final String OPEN = "~";

	private @Nullable String entry;

	private @Nullable String refresher;

	private @Nullable String token;

	private boolean due;

	private boolean expired;

	private long lastTicket;

	private long applied;

	private long resolved;

	private long removed;

	@Nullable String entry() {
		return this.entry;
	}

	@Nullable String refresher() {
		return this.refresher;
	}

	void expire() {
		set(null);
	}

	/**
	 * The value is near its expiry, or beyond it.
	 */
	void age(boolean beyond) {
		if (this.entry != null && !this.entry.startsWith("L")) {
			this.due = true;
			this.expired |= beyond;
		}
	}

	void refreshEnds() {
		this.refresher = null;
	}

	private void set(@Nullable String next) {
		this.entry = next;
		this.due = false;
		this.expired = false;
	}

	String lookUp(String reader, long now, boolean refreshing, boolean usesExpired) {
		if (this.entry == null) {
			return lookUpNothing(reader, now);
		}
		if (this.entry.startsWith("L" + OPEN) && !reader.startsWith(OPEN)) {
			return lookUpNothing(reader, now);
		}
		if (this.entry.startsWith("L")) {
			return beside(reader, this.entry.substring(1));
		}
		if (!this.expired) {
			if (this.due && refreshing && this.refresher == null) {
				this.refresher = reader;
				return "refresh";
			}
			return "hit";
		}
		boolean resting = RESTING.equals(this.refresher);
		if (resting && usesExpired) {
			return "stale";
		}
		if (this.refresher != null && !resting && !takesPlace(reader)) {
			return beside(reader, this.refresher);
		}
		this.refresher = reader;
		return lease(reader, reader);
	}

	private boolean takesPlace(String reader) {
		return this.refresher.startsWith(OPEN) && !reader.startsWith(OPEN);
	}

	private String beside(String reader, String holder) {
		return holder.startsWith(OPEN) ? lease(reader, holder) : "wait";
	}

	private String lease(String reader, String token) {
		this.token = token;
		this.seen.put(reader, List.of(this.lastTicket, this.resolved));
		return "lease";
	}

	private String lookUpNothing(String reader, long now) {
		if (this.refresher != null && !this.refresher.equals(RESTING) && !takesPlace(reader)) {
			return beside(reader, this.refresher);
		}
		if (this.pending.values().stream().anyMatch((writer) -> writer.deadline > now)) {
			return "bypass";
		}
		this.refresher = null;
		set("L" + reader);
		return lease(reader, reader);
	}

	/**
	 * Returns the token of the lease that was given last.
	 */
	@Nullable String token() {
		return this.token;
	}

	String fill(String reader, long now, long age, String value) {
		return fill(reader, reader, false, now, age, value);
	}

	String fill(String reader, String token, boolean loaded, long now, long age, String value) {
		boolean leased = ("L" + token).equals(this.entry);
		if (!leased && !token.equals(this.refresher)) {
			return token.startsWith(OPEN) ? late(reader, loaded, now, value) : "lost";
		}
		if (!leased) {
			this.refresher = null;
		}
		if (age >= 0) {
			// The scripts tell the time of the lease from its real TTL, the steps from
			// virtual time: so the snapshot counts from now in both
			long began = now - age;
			boolean disturbed = this.lastTicket >= began || this.resolved >= began || this.removed >= began
					|| this.pending.values().stream().anyMatch((writer) -> writer.deadline >= began);
			if (disturbed) {
				if (leased) {
					set(null);
				}
				return "snapshot";
			}
		}
		set(value);
		return "filled";
	}

	private String late(String reader, boolean loaded, long now, String value) {
		boolean quiet = List.of(this.lastTicket, this.resolved).equals(this.seen.get(reader));
		if (value.equals(this.entry) || (loaded && quiet)) {
			return "stands";
		}
		set(null);
		this.refresher = null;
		this.applied = this.lastTicket;
		this.removed = now;
		return "removed";
	}

	String free(String reader, boolean failed, boolean discard) {
		if (("L" + reader).equals(this.entry)) {
			set(null);
			return "1";
		}
		if (reader.equals(this.refresher)) {
			boolean gone = discard && this.expired;
			this.refresher = (failed || discard) && !gone ? RESTING : null;
			if (gone) {
				set(null);
			}
			return "1";
		}
		if (failed && this.refresher == null && this.entry != null && !this.entry.startsWith("L")) {
			this.refresher = RESTING;
		}
		return "0";
	}

	void announce(String writer, long now, long hold, boolean locked, boolean prolong) {
		set(null);
		this.refresher = null;
		Pending own = this.pending.remove(writer);
		boolean alone = true;
		for (String id : Map.copyOf(this.pending).keySet()) {
			Pending other = this.pending.get(id);
			if (other.deadline > now) {
				alone = false;
			}
			else {
				overrun(other);
				this.resolved = now;
				this.pending.remove(id);
			}
		}
		if (prolong && own != null && own.deadline > now) {
			this.pending.put(writer, new Pending(own.ticket, now + hold, own.locked, own.alone));
			return;
		}
		this.lastTicket = Math.max(this.lastTicket + 1, now);
		this.pending.put(writer, new Pending(this.lastTicket, now + hold, locked, alone && !prolong));
	}

	private void overrun(Pending writer) {
		this.applied = writer.locked ? Math.max(this.applied, writer.ticket) : this.lastTicket;
	}

	String publish(String writer, long now, boolean locked, String value) {
		Pending own = this.pending.get(writer);
		boolean othersPending = false;
		for (Map.Entry<String, Pending> one : this.pending.entrySet()) {
			if (one.getValue().deadline <= now) {
				overrun(one.getValue());
			}
			else if (!one.getKey().equals(writer)) {
				othersPending = true;
			}
		}
		boolean newest = own != null && own.deadline > now && own.ticket > this.applied;
		boolean published = newest && (locked ? !othersPending : own.alone && own.ticket == this.lastTicket);
		if (!locked) {
			this.applied = this.lastTicket;
		}
		else if (newest) {
			this.applied = own.ticket;
		}
		this.pending.remove(writer);
		this.resolved = now;
		this.refresher = null;
		set(published ? value : null);
		return published ? "published" : "superseded";
	}

	void invalidate(String writer, long now) {
		set(null);
		this.refresher = null;
		this.pending.remove(writer);
		this.applied = this.lastTicket;
		this.resolved = now;
	}

	String abort(String writer) {
		return (this.pending.remove(writer) != null) ? "1" : "0";
	}

	private record Pending(long ticket, long deadline, boolean locked, boolean alone) {
	}

}

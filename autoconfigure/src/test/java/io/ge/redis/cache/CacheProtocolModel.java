/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What the scripts of the cache are to do, said once more and without Redis.
 */
final class CacheProtocolModel {

	private final Map<String, Pending> pending = new HashMap<>();

	private @Nullable String entry;

	private long lastTicket;

	private long applied;

	private long resolved;

	@Nullable String entry() {
		return this.entry;
	}

	void expire() {
		this.entry = null;
	}

	String lookUp(String reader, long now) {
		if (this.entry != null) {
			return this.entry.startsWith("L") ? "wait" : "hit";
		}
		if (this.pending.values().stream().anyMatch((writer) -> writer.deadline > now)) {
			return "bypass";
		}
		this.entry = "L" + reader;
		return "lease";
	}

	String fill(String reader, long now, long age, String value) {
		if (!("L" + reader).equals(this.entry)) {
			return "lost";
		}
		if (age >= 0) {
			// The scripts tell the time of the lease from its real TTL, the steps from
			// virtual
			// time: so the snapshot counts from now in both
			long began = now - age;
			boolean disturbed = this.lastTicket >= began || this.resolved >= began
					|| this.pending.values().stream().anyMatch((writer) -> writer.deadline >= began);
			if (disturbed) {
				this.entry = null;
				return "snapshot";
			}
		}
		this.entry = value;
		return "filled";
	}

	void announce(String writer, long now, long hold, boolean locked, boolean prolong) {
		this.entry = null;
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
		this.entry = published ? value : null;
		return published ? "published" : "superseded";
	}

	void invalidate(String writer, long now) {
		this.entry = null;
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

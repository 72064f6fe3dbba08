// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@code report.lua} and {@code force.lua} do, in memory. Times are milliseconds.
 */
final class CircuitModel {

	private static final long SILENCE = 600_000;

	private final BreakerSettings settings;

	private final Map<String, Sums> reports = new HashMap<>();

	final Map<String, Long> leases = new TreeMap<>();

	String state = "C";

	long version;

	long succeeded;

	private long until;

	private long openings;

	private long changedAt;

	private String forced = "";

	private long forcedUntil;

	CircuitModel(BreakerSettings settings) {
		this.settings = settings;
	}

	Reply report(long now, String instance, long live, Sums sums, boolean wanted, long ended, String result,
			long known) {
		if (this.until > now + this.settings.maxOpenFor().toMillis()) {
			this.until = now;
		}
		boolean stale = known < this.version;
		this.reports.put(instance, stale ? new Sums(now, 0, 0, 0, 0, 0, 0) : sums.at(now));
		String why = "";
		if (this.state.equals("C") && !stale && (sums.failures > 2 || sums.slow > 2)) {
			why = majority(now, live);
			if (!why.isEmpty()) {
				open(now);
			}
		}
		else if (this.state.equals("O") && wanted && now >= this.until) {
			why = "probe";
			change("H", now);
		}
		if (this.state.equals("H")) {
			this.leases.values().removeIf((end) -> end <= now);
			if (ended != 0 && this.leases.getOrDefault(instance, 0L) == ended) {
				this.leases.remove(instance);
				this.succeeded += result.equals("ok") ? 1 : 0;
				if (result.equals("failed")) {
					why = "probe";
					open(now);
				}
				else if (this.succeeded >= this.settings.probes()) {
					why = "probe";
					change("C", now);
				}
			}
		}
		long granted = 0;
		if (this.state.equals("H") && wanted) {
			if (!this.leases.containsKey(instance) && this.succeeded + this.leases.size() < this.settings.probes()) {
				this.leases.put(instance, now + this.settings.probeLease().toMillis());
			}
			granted = this.leases.getOrDefault(instance, 0L);
		}
		boolean isForced = this.forcedUntil > now;
		return new Reply(this.state, this.version, this.state.equals("O") ? Math.max(0, this.until - now) : 0, granted,
				(granted > 0) ? granted - now : 0, why, isForced ? this.forced : "",
				isForced ? this.forcedUntil - now : 0);
	}

	private String majority(long now, long live) {
		this.reports.values().removeIf((sums) -> now - sums.at > SILENCE);
		long electorate = Math.max(1, Math.min(live, this.reports.size()));
		double least = Math.max(3, Math.ceil(0.8 * this.settings.minimumCalls() / electorate));
		for (String kind : List.of("rate", "slow")) {
			int rate = kind.equals("rate") ? this.settings.failureRate() : this.settings.slowCallRate();
			for (boolean isSecond : List.of(true, false)) {
				long window = this.settings.window().toMillis();
				long span = isSecond ? Math.min(2000, window) : window;
				long calls = 0;
				long bad = 0;
				long votes = 0;
				for (Sums sums : this.reports.values()) {
					if (rate > 0 && sums.at > this.changedAt && now - sums.at <= span) {
						long own = sums.bad(kind, isSecond);
						calls += sums.calls(isSecond);
						bad += own;
						votes += (own >= least && own * 100 >= rate * sums.calls(isSecond)) ? 1 : 0;
					}
				}
				if (votes * 2 > electorate && votes >= Math.min(2, live) && calls >= this.settings.minimumCalls()
						&& bad * 100 >= rate * calls) {
					return kind;
				}
			}
		}
		return "";
	}

	private void open(long now) {
		if (this.state.equals("C") && now - this.changedAt > this.settings.window().toMillis()) {
			this.openings = 0;
		}
		this.until = now + (long) Math.min(this.settings.openFor().toMillis() * Math.pow(2, this.openings),
				this.settings.maxOpenFor().toMillis());
		this.openings = Math.min(this.openings + 1, 30);
		change("O", now);
	}

	private void change(String to, long now) {
		this.state = to;
		this.succeeded = 0;
		this.version = Math.max(this.version + 1, now);
		this.leases.clear();
		this.changedAt = now;
	}

	/**
	 * Sets the state on behalf of an operator.
	 * @param to F, D, CLOSED or AUTO
	 */
	void force(long now, String to, long millis) {
		this.version = Math.max(this.version + 1, now);
		if (to.equals("CLOSED")) {
			this.state = "C";
			this.until = 0;
			this.openings = 0;
			this.succeeded = 0;
			this.changedAt = 0;
			this.leases.clear();
		}
		this.forced = (to.length() == 1) ? to : "";
		this.forcedUntil = now + millis;
	}

	record Reply(String state, long version, long waitMillis, long lease, long leaseMillis, String why, String forced,
			long forcedMillis) {

		List<String> fields() {
			return List.of(this.state, String.valueOf(this.version), String.valueOf(this.waitMillis),
					String.valueOf(this.lease), String.valueOf(this.leaseMillis), this.why, this.forced,
					String.valueOf(this.forcedMillis));
		}

	}

	record Sums(long at, long calls1, long failures1, long slow1, long calls, long failures, long slow) {

		Sums at(long now) {
			return new Sums(now, this.calls1, this.failures1, this.slow1, this.calls, this.failures, this.slow);
		}

		long calls(boolean isSecond) {
			return isSecond ? this.calls1 : this.calls;
		}

		long bad(String kind, boolean isSecond) {
			if (kind.equals("rate")) {
				return isSecond ? this.failures1 : this.failures;
			}
			return isSecond ? this.slow1 : this.slow;
		}

	}

}

// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Predicate;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockReleaseEvent;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The leases that this instance has, and the callers that work under them: extends leases
 * together, and publishes releases and losses.
 */
final class LockLeases {

	private static final Log logger = LogFactory.getLog(LockLeases.class);

	private final GuardEvents events;

	private final GuardedCalls calls;

	private final LockTimers timers;

	private final LockQueues queues;

	private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();

	LockLeases(GuardEvents events, GuardedCalls calls, LockTimers timers, LockQueues queues) {
		this.events = events;
		this.calls = calls;
		this.timers = timers;
		this.queues = queues;
	}

	Set<HeldLock> held() {
		return this.held;
	}

	@Nullable Future<?> schedule(Runnable task, long nanos) {
		return this.timers.schedule(task, nanos);
	}

	/**
	 * Lets an asynchronous caller continue on a thread of its own application.
	 */
	CompletionStage<@Nullable Void> handOver(CompletableFuture<?> done) {
		// Cancelling the wait for a release does not stop it
		return this.calls.handOver(done.copy(), (nothing) -> null, (nothing) -> {
		});
	}

	// Extending

	/**
	 * Extends a lease, and with it those that are due soon.
	 */
	void renew(LockLease due, long now) {
		Map<String, LockLease> leases = new LinkedHashMap<>();
		leases.put(due.handle, due);
		renew((lease) -> lease.isDueSoon(now), leases, now);
	}

	/**
	 * Extends all leases, and so finds out which of them have survived an outage.
	 */
	void verify() {
		long now = System.nanoTime();
		renew(LockLease::isVerifiable, new LinkedHashMap<>(), now).forEach((lease) -> lease.retrySoon(now));
	}

	private Collection<LockLease> renew(Predicate<LockLease> which, Map<String, LockLease> leases, long now) {
		for (HeldLock section : this.held) {
			if (which.test(section.lease)) {
				leases.putIfAbsent(section.lease.handle, section.lease);
			}
		}
		Map<RedisLocks, List<LeaseRenewal>> renewals = new HashMap<>(2);
		leases.values()
			.forEach((lease) -> renewals.computeIfAbsent(lease.redis, (redis) -> new ArrayList<>())
				.add(lease.renewal(now)));
		renewals.forEach((redis, all) -> redis.renew(all, (renewal, mine) -> {
			LockLease lease = leases.get(renewal.handle());
			if (lease != null) {
				lease.renewed(now, renewal.lease(), mine);
			}
		}, (renewal) -> {
			LockLease lease = leases.get(renewal.handle());
			if (lease != null) {
				lease.schedule();
			}
		}));
		return leases.values();
	}

	// Sections

	void entered(HeldLock section) {
		this.held.add(section);
	}

	void finished(HeldLock section, Duration heldFor) {
		this.events.publish(new LockReleaseEvent(section.name(), heldFor));
		this.queues.ended(section);
	}

	/**
	 * A section is over, here and in Redis.
	 */
	void released(@Nullable HeldLock section, boolean wasMine) {
		if (section != null) {
			this.held.remove(section);
			if (!wasMine) {
				publishLoss(section, LockLostEvent.Cause.NOT_OWNER);
			}
			section.completeRelease();
		}
	}

	void lost(LockLease lease, LockLostEvent.Cause cause) {
		HeldLock section = lease.section();
		if (section != null && !section.isReleased()) {
			lostSection(section, cause);
		}
		this.queues.lost(lease);
	}

	void lostSection(HeldLock section, LockLostEvent.Cause cause) {
		this.held.remove(section);
		publishLoss(section, cause);
	}

	void takenAway(String handle, RedisLockKey key) {
		for (HeldLock section : this.held) {
			if (section.lease.handle.equals(handle) && section.lease.key.equals(key)) {
				section.lease.takenAway();
			}
		}
	}

	private void publishLoss(HeldLock section, LockLostEvent.Cause cause) {
		if (!section.beginToPublishLoss()) {
			return;
		}
		logger.warn("The lock '" + section.name() + "' was lost while its holder was at work: "
				+ ((cause == LockLostEvent.Cause.EXPIRED) ? "the lease could not be extended in time"
						: "Redis does not know the holder any more"));
		this.events.publish(new LockLostEvent(section.name(), section.token(), cause));
		section.interruptWork();
	}

}

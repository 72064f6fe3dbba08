/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.lock.LockControl;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * {@code /actuator/geredis/lock}: the locks that callers of this instance hold;
 * {@code /actuator/geredis/lock/<name>?key=42}: one lock, whichever instance has it.
 * Deleted, it is taken away from its holder, who is told, and handed on.
 * <p>
 * A key of several parts is given by repeating the parameter. Without a key it is the
 * lock of all calls.
 */
public class LockResource implements GuardResource {

	private static final String NAME = "lock";

	private static final String KEY = "key";

	private final Supplier<LockControl> control;

	/**
	 * Creates the resource.
	 * @param control does what is asked for
	 */
	public LockResource(Supplier<LockControl> control) {
		this.control = control;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(Set.of(KEY));
		if (request.path().isEmpty()) {
			return new LocksReport(this.control.get().list().stream().map(LockResource::report).toList());
		}
		LockControl.Look look = this.control.get().look(lock(request), request.texts(KEY));
		boolean held = look.holder() != null;
		return new LockReport(lock(request), held && !look.finished(), look.holder(), held ? look.token() : null,
				held ? look.age().toString() : null, held ? look.remaining().toString() : null,
				look.waitingInstances());
	}

	private static HeldReport report(LockControl.Held lock) {
		return new HeldReport(lock.name(), lock.hash(), lock.token(), lock.age().toString(),
				lock.remaining().toString(), lock.waiters());
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(Set.of(KEY));
		String name = lock(request);
		return new ReleaseReport(name, this.control.get().release(name, request.texts(KEY)));
	}

	private static String lock(GuardRequest request) {
		if (request.path().isEmpty()) {
			throw GuardRequestException.notFound("No lock is named.", "Add its name to the path.");
		}
		return String.join("/", request.path());
	}

	/**
	 * The locks of this instance.
	 *
	 * @param held the locks, the longest held first
	 */
	public record LocksReport(List<HeldReport> held) implements OperationResponseBody {
	}

	/**
	 * A lock of this instance.
	 *
	 * @param name the name
	 * @param hash tells its key from others
	 * @param token the fencing token
	 * @param age for how long it has been held
	 * @param remaining how long it is certain to be held without another extension
	 * @param waiters how many callers of this instance wait for it
	 */
	public record HeldReport(String name, String hash, long token, String age, String remaining, int waiters) {
	}

	/**
	 * A lock.
	 *
	 * @param name the name
	 * @param held whether somebody works under it
	 * @param holder the id of the instance that has it, {@code null} if it is free
	 * @param token its first token
	 * @param age for how long the instance has had it
	 * @param remaining the rest of the lease
	 * @param waitingInstances how many instances wait for it
	 */
	public record LockReport(String name, boolean held, @Nullable String holder, @Nullable Long token,
			@Nullable String age, @Nullable String remaining, int waitingInstances) implements OperationResponseBody {
	}

	/**
	 * What was done.
	 *
	 * @param name the name of the lock
	 * @param released whether there was anything to release
	 */
	public record ReleaseReport(String name, boolean released) implements OperationResponseBody {
	}

}

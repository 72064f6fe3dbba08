/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.lock.LockControl;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * {@code /actuator/geredis/lock}: the locks that callers of any instance hold or wait
 * for, as the instances tell when they are asked;
 * {@code /actuator/geredis/lock/<name>?key=42}: one lock, whichever instance has it.
 * Deleted, it is taken away from its holder, who is told, and handed on.
 * <p>
 * A key of several parts is given by repeating the parameter. Without a key it is the
 * lock of all calls. A lock that is listed can also be named by {@code hash}, since keys
 * are not shown.
 */
@RegisterReflectionForBinding({ LockResource.LocksReport.class, LockResource.LockReport.class,
		LockResource.ReleaseReport.class })
public class LockResource implements GuardResource {

	private static final String NAME = "lock";

	private static final String KEY = "key";

	private static final String HASH = "hash";

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
		request.allowOnly(Set.of(KEY, HASH));
		LockControl control = this.control.get();
		String name = request.name(control::exists);
		if (name.isEmpty()) {
			request.allowOnly(Set.of());
			return report(control.list());
		}
		request.allowOneOf(HASH, KEY);
		String hash = request.text(HASH);
		LockControl.Look look = (hash != null) ? control.look(found(control, name, hash))
				: control.look(name, request.texts(KEY));
		boolean held = look.holder() != null;
		boolean works = (look.shared() != null) ? isWorkedUnder(look.shared()) : held && !look.finished();
		return new LockReport(name, works, look.holder(), held ? look.token() : null,
				held ? look.age().toString() : null, held ? look.remaining().toString() : null, look.waitingInstances(),
				(look.shared() != null) ? report(look.shared()) : null);
	}

	private static boolean isWorkedUnder(LockControl.Shared shared) {
		return shared.holders() > shared.shares().size()
				|| shared.shares().stream().anyMatch((share) -> !share.finished());
	}

	private static SharedReport report(LockControl.Shared shared) {
		List<ShareReport> shares = shared.shares()
			.stream()
			.map((share) -> new ShareReport(share.holder(), !share.finished(), share.token(), share.age().toString(),
					share.remaining().toString()))
			.toList();
		return new SharedReport(shared.holders(), shared.waiters(), shares);
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(Set.of(KEY, HASH));
		LockControl control = this.control.get();
		String name = request.name(control::exists);
		if (name.isEmpty()) {
			throw GuardRequestException.notFound("No lock is named.", "Add its name to the path.");
		}
		request.allowOneOf(HASH, KEY);
		String hash = request.text(HASH);
		return new ReleaseReport(name, (hash != null) ? control.release(found(control, name, hash))
				: control.release(name, request.texts(KEY)));
	}

	private static LockControl.Found found(LockControl control, String name, String hash) {
		LockControl.Found found = control.find(name, hash);
		if (found == null) {
			throw GuardRequestException.notFound(
					"No instance that answered holds or waits for a lock '" + name + "' with the hash '" + hash + "'.",
					"List the locks again, or give the key.");
		}
		return found;
	}

	private static LocksReport report(LockControl.Listing listing) {
		List<ListedReport> locks = new ArrayList<>();
		for (LockControl.Listed lock : listing.locks()) {
			List<HolderReport> holders = new ArrayList<>();
			for (LockControl.Holder holder : lock.holders()) {
				holders.add(new HolderReport(holder.instance(), holder.token(), holder.age().toString(),
						holder.remaining().toString()));
			}
			locks.add(new ListedReport(lock.name(), lock.hash(), holders, lock.waiters()));
		}
		return new LocksReport(listing.instance(), listing.instances(), listing.silent(), locks);
	}

	/**
	 * The locks of all instances.
	 *
	 * @param instance the id of the instance that was asked
	 * @param instances what each has told, and how much of it is listed
	 * @param silent the ids of instances that are known and did not answer in time; what
	 * they hold is missing, unless others wait for it
	 * @param locks the locks, the longest held first
	 */
	public record LocksReport(String instance, List<LockControl.Instance> instances, Set<String> silent,
			List<ListedReport> locks) implements OperationResponseBody {
	}

	/**
	 * A lock that somebody holds or waits for.
	 *
	 * @param name the name
	 * @param hash tells its key from others
	 * @param holders who holds it; none if it changes hands, or only stays taken for its
	 * shortest hold
	 * @param waiters how many callers wait for it
	 */
	public record ListedReport(String name, String hash, List<HolderReport> holders, int waiters) {
	}

	/**
	 * The holder of a lock.
	 *
	 * @param instance the id of the instance
	 * @param token the fencing token
	 * @param age for how long it has been held
	 * @param remaining how long it is certain to be held without another extension
	 */
	public record HolderReport(String instance, long token, String age, String remaining) {
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
	 * @param shared who holds it together, if several may; else {@code null}
	 */
	public record LockReport(String name, boolean held, @Nullable String holder, @Nullable Long token,
			@Nullable String age, @Nullable String remaining, int waitingInstances,
			@Nullable SharedReport shared) implements OperationResponseBody {
	}

	/**
	 * The holders of a lock that several may hold together.
	 *
	 * @param holders how many hold it
	 * @param waiters how many callers wait for it
	 * @param shares at most 100 of the holders
	 */
	public record SharedReport(int holders, int waiters, List<ShareReport> shares) {
	}

	/**
	 * One of several holders.
	 *
	 * @param holder the id of the instance
	 * @param held whether somebody works under it, or its place only stays taken
	 * @param token its token
	 * @param age for how long it has held the lock
	 * @param remaining the rest of the lease
	 */
	public record ShareReport(String holder, boolean held, long token, String age, String remaining) {
	}

	/**
	 * The result of an action.
	 *
	 * @param name the name of the lock
	 * @param released whether there was anything to release
	 */
	public record ReleaseReport(String name, boolean released) implements OperationResponseBody {
	}

}

/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.idempotency.IdempotencyControl;
import io.ge.redis.idempotency.IdempotencyControl.State;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * {@code /actuator/geredis/idempotency}: the keys that calls of any instance have claimed
 * lately, as the instances tell when they are asked;
 * {@code /actuator/geredis/idempotency/<operation>?key=42}: one key, whichever instance
 * has it. Deleted, it is free for the next call. A key whose call is in flight is only
 * freed if that call is named by its {@code fence}.
 * <p>
 * A key of several parts is given by repeating the parameter; one that is not shared by
 * all callers belongs to the {@code principal}, with the {@code issuer} of its token if
 * it has one, or to those who are not logged in. A key that is listed can also be named
 * by {@code hash}, since keys are not shown.
 */
@RegisterReflectionForBinding({ IdempotencyResource.KeysReport.class, IdempotencyResource.KeyReport.class,
		IdempotencyResource.ClearReport.class })
public class IdempotencyResource implements GuardResource {

	private static final String NAME = "idempotency";

	private static final String KEY = "key";

	private static final String HASH = "hash";

	private static final String PRINCIPAL = "principal";

	private static final String ISSUER = "issuer";

	private static final String FENCE = "fence";

	private final Supplier<IdempotencyControl> control;

	/**
	 * Creates the resource.
	 * @param control does what is asked for
	 */
	public IdempotencyResource(Supplier<IdempotencyControl> control) {
		this.control = control;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(Set.of(KEY, HASH, PRINCIPAL, ISSUER));
		IdempotencyControl control = this.control.get();
		String operation = request.name(control::exists);
		if (operation.isEmpty()) {
			request.allowOnly(Set.of());
			return report(control.list());
		}
		return report(control.look(key(control, operation, request)));
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(Set.of(KEY, HASH, PRINCIPAL, ISSUER, FENCE));
		IdempotencyControl control = this.control.get();
		String operation = request.name(control::exists);
		if (operation.isEmpty()) {
			throw GuardRequestException.notFound("No operation is named.", "Add its name to the path.");
		}
		Long fence = request.number(FENCE);
		IdempotencyControl.Clearing clearing = control.clear(key(control, operation, request), fence);
		if (clearing.fence() != null) {
			throw GuardRequestException.invalid(FENCE,
					(fence != null) ? "The key was claimed by a call with another fence."
							: "A call with this key is in flight, or was not heard of again.",
					"Look at the key. If its call may lose it, add ?fence=" + clearing.fence()
							+ ": it is not stopped, and unless there is a witness the effect may happen twice.");
		}
		return new ClearReport(operation, clearing.cleared());
	}

	private static IdempotencyControl.Found key(IdempotencyControl control, String operation, GuardRequest request) {
		String hash = request.text(HASH);
		List<String> key = request.texts(KEY);
		request.allowOneOf(HASH, KEY);
		request.allowOneOf(HASH, PRINCIPAL);
		if (hash != null) {
			return found(control, operation, hash);
		}
		if (key.isEmpty()) {
			throw GuardRequestException.invalid(KEY, "key is missing.",
					"Add it, such as ?key=42, and repeat it for a key of several parts, or give the hash of a key that "
							+ "is listed.");
		}
		String principal = request.text(PRINCIPAL);
		String issuer = request.text(ISSUER);
		if (principal != null && control.isShared(operation)) {
			throw GuardRequestException.invalid(PRINCIPAL, "All callers share the keys of '" + operation + "'.",
					"Leave principal out.");
		}
		if (issuer != null && principal == null) {
			throw GuardRequestException.invalid(ISSUER, "issuer is given without principal.", "Add the principal.");
		}
		return control.key(operation, issuer, principal, key);
	}

	private static IdempotencyControl.Found found(IdempotencyControl control, String operation, String hash) {
		IdempotencyControl.Found found = control.find(operation, hash);
		if (found == null) {
			throw GuardRequestException.notFound(
					"No instance that answered remembers a key of '" + operation + "' with the hash '" + hash + "'.",
					"List the keys again, or give the key.");
		}
		return found;
	}

	private static KeysReport report(IdempotencyControl.Listing listing) {
		return new KeysReport(listing.instance(), listing.instances(), listing.silent(),
				listing.keys().stream().map(IdempotencyResource::report).toList());
	}

	private static KeyReport report(IdempotencyControl.Look look) {
		String state = look.state().name().toLowerCase(Locale.ROOT);
		if (look.state() == State.NONE) {
			return new KeyReport(look.operation(), look.hash(), state, null, null, null, null, null, false);
		}
		return new KeyReport(look.operation(), look.hash(), state,
				(look.state() != State.FREE) ? look.instance() : null, look.fence(), look.age().toString(),
				(look.state() == State.IN_FLIGHT) ? look.lease().toString() : null, look.retention().toString(),
				look.takenOver());
	}

	/**
	 * The keys of all instances.
	 *
	 * @param instance the id of the instance that was asked
	 * @param instances what each has told, and how much of it is listed
	 * @param silent the ids of instances that are known and did not answer in time; what
	 * only they know is missing
	 * @param keys the keys, at most 100: those in flight first, then those that were
	 * claimed last
	 */
	public record KeysReport(String instance, List<IdempotencyControl.Instance> instances, Set<String> silent,
			List<KeyReport> keys) implements OperationResponseBody {
	}

	/**
	 * A key.
	 *
	 * @param operation the name of the operation
	 * @param hash tells the key from others; the {@code id} of its row in the table
	 * {@code ge_idempotency}, if it has one
	 * @param state {@code none}, {@code in_flight}, {@code completed}, {@code lost},
	 * {@code unknown} or {@code free}
	 * @param instance the id of the instance that has or had the claim
	 * @param fence the fence of the last claim
	 * @param age the time since the claim
	 * @param lease what is left of the lease of a call in flight
	 * @param retention what is left until Redis forgets the key
	 * @param takenOver whether an earlier call may have had its effect
	 */
	public record KeyReport(String operation, String hash, String state, @Nullable String instance,
			@Nullable Long fence, @Nullable String age, @Nullable String lease, @Nullable String retention,
			boolean takenOver) implements OperationResponseBody {
	}

	/**
	 * The result of an action.
	 *
	 * @param operation the name of the operation
	 * @param cleared whether there was anything to clear
	 */
	public record ClearReport(String operation, boolean cleared) implements OperationResponseBody {
	}

}

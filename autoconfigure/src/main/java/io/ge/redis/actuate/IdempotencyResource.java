// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.idempotency.IdempotencyRecord;
import io.ge.redis.idempotency.internal.IdempotencyControl;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/idempotency} lists the keys that calls of any instance claimed
 * recently. {@code /actuator/geredis/idempotency/<operation>?key=42} shows one key. A
 * delete frees it for the next call. While a call with the key is running, a delete must
 * name that call by its {@code fence}.
 * <p>
 * A key of several parts is given by repeating the parameter. Unless all callers share
 * the keys, a key belongs to a {@code principal}, with the {@code issuer} of its token if
 * it has one. Without a principal, it belongs to anonymous callers. A listed key can also
 * be named by its {@code hash}, since keys are not shown.
 */
@RegisterReflectionForBinding({ IdempotencyControl.Listing.class, IdempotencyResource.ClearReport.class })
class IdempotencyResource extends GuardResource {

	private static final String NAME = "idempotency";

	private static final String KEY = "key";

	private static final String HASH = "hash";

	private static final String PRINCIPAL = "principal";

	private static final String ISSUER = "issuer";

	private static final String FENCE = "fence";

	private final Supplier<IdempotencyControl> control;

	private final GuardFigures figures;

	public IdempotencyResource(Supplier<IdempotencyControl> control, GuardFigures figures) {
		super(NAME);
		this.control = control;
		this.figures = figures;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(KEY, HASH, PRINCIPAL, ISSUER);
		IdempotencyControl control = this.control.get();
		String operation = request.name(control::exists);
		if (operation.isEmpty()) {
			request.allowOnly();
			return control.list();
		}
		IdempotencyRecord look = control.look(key(control, operation, request));
		if (look.state() == IdempotencyRecord.State.NONE) {
			requireKnown(control, operation);
		}
		return look;
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(KEY, HASH, PRINCIPAL, ISSUER, FENCE);
		IdempotencyControl control = this.control.get();
		String operation = request.name("operation", control::exists);
		Long fence = request.number(FENCE);
		IdempotencyRecord.Clearing clearing = control.clear(key(control, operation, request), fence);
		if (clearing.fence() != null) {
			throw GuardRequestException.invalid(FENCE,
					(fence != null) ? "The key was claimed by a call with another fence."
							: "A call with this key is running, or its outcome is unknown.",
					"Look at the key. If its call may lose it, add ?fence=" + clearing.fence()
							+ ". The call is not stopped. Without a transactional record, the effect may happen twice.");
		}
		if (!clearing.cleared()) {
			requireKnown(control, operation);
		}
		return new ClearReport(operation, clearing.cleared());
	}

	/**
	 * Refuses a name that neither an annotation nor a property has, and no code of this
	 * instance has used.
	 */
	private void requireKnown(IdempotencyControl control, String operation) {
		if (!control.exists(operation) && this.figures.of(NAME, operation).isEmpty()) {
			throw GuardRequestException.notFound(
					"This instance knows no operation '" + operation + "', and Redis has no such key of it.",
					"List the keys, without a name in the path.");
		}
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

	public record ClearReport(String operation, boolean cleared) {
	}

}

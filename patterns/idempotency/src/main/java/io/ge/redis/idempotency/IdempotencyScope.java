// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

/**
 * Scopes in which callers share the keys of an operation.
 */
public enum IdempotencyScope {

	/**
	 * Each authenticated principal has keys of its own, separated by the issuer of its
	 * token where there is one. All anonymous callers share theirs. So an authenticated
	 * caller cannot get another's result by guessing a key. A
	 * {@link io.ge.redis.PrincipalProvider} names the principal. A token without a
	 * subject counts as its client. A principal without any name is refused with an
	 * {@link IdempotencyCallerException}.
	 */
	PRINCIPAL,

	/**
	 * All callers share the keys. For keys that are unique by themselves, such as the id
	 * of a message.
	 */
	GLOBAL

}

// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Refuses calls that present a revoked token, or that are made by or about a blocked
 * subject.
 * <p>
 * Without expression it checks the token of the current authenticated caller. A caller
 * without any authentication has none and proceeds. A revoked token throws
 * {@link TokenRevokedException}, over HTTP a 401; a blocked subject throws
 * {@link SubjectBlockedException}, over HTTP a 403. The method does not run.
 * <p>
 * Cost: none. The answer comes from memory, which follows all revocations; see
 * {@link TokenBlacklist} for how fast. One script call and one round trip where memory is
 * not up to date. That is the first check after the start, or after half a minute without
 * any. It also applies after a revocation by this instance until that has been received,
 * and while Redis cannot be followed. Nothing is written.
 * <p>
 * {@code onOutage} can be overridden under {@code ge.redis.blacklist.lists.<name>}, which
 * takes precedence over the annotation.
 * <p>
 * A method may return a future or a publisher, or be a suspending function: it is decided
 * when it is called or subscribed to, each time, without blocking, and the refusal is its
 * failure. The caller of a publisher is its subscriber.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface BlacklistCheck {

	/**
	 * Name of the list. Blocked subjects belong to the list of this name; revoked tokens
	 * are revoked for all. Default {@code SimpleClassName.methodName}.
	 * @return the name
	 */
	String name() default "";

	/**
	 * SpEL expression for the token: a {@link TokenIdentity}, an object that a
	 * {@link TokenReader} knows such as Spring Security's {@code Jwt}, or the id of a
	 * token without issuer as text. {@code null} or blank values are refused. Default:
	 * the token of the current caller.
	 * @return the expression
	 */
	String token() default "";

	/**
	 * SpEL expression for a subject of any kind: an address, a device, an account.
	 * {@code null} or blank values are refused. Not together with {@link #token()}.
	 * @return the expression
	 */
	String subject() default "";

	/**
	 * Outage policy: {@code DENY}, {@code ALLOW}, or {@code LOCAL}, which answers from
	 * memory until {@code ge.redis.blacklist.stale-for} has passed since its last
	 * complete read, and denies then. A token known to be revoked is refused as such
	 * under each policy. Default {@code ge.redis.blacklist.on-outage}.
	 * @return the policy
	 */
	OutagePolicy onOutage() default OutagePolicy.DEFAULT;

}

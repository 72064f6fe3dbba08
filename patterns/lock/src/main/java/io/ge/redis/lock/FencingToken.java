// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a {@code long} parameter of a method with {@link DistributedLock} that receives
 * the fencing token. Callers pass any value; it is replaced. On web handlers it is never
 * bound from the request. Without {@link DistributedLock} on the method the application
 * does not start.
 * <p>
 * For several keys that are locked together it is the token of the first one, see
 * {@link DistributedLock#keys()}.
 * <p>
 * Tokens of one lock rise with every owner, also after Redis was restarted or emptied.
 * Exception: the clock of a new primary is behind, and no instance that asks remembers
 * the last token. A resource that remembers the highest token and refuses lower ones is
 * safe from a holder that was paused beyond its lease.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface FencingToken {

}

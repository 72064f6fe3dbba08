// SPDX-License-Identifier: Apache-2.0

/**
 * A guard that the library does not have, as an example of all that one takes:
 * annotation, properties, script, refusal, meter and endpoint view.
 */
@NullMarked
package io.ge.redis.bulkhead;

import org.jspecify.annotations.NullMarked;

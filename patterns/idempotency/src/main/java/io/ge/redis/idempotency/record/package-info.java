// SPDX-License-Identifier: Apache-2.0

/**
 * Results of calls as they are kept and given again: values, responses of exchanges,
 * exceptions; and fingerprints, by which repetitions are compared.
 */
@NullMarked
package io.ge.redis.idempotency.record;

import org.jspecify.annotations.NullMarked;

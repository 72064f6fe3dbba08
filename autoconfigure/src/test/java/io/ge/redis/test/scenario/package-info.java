// SPDX-License-Identifier: Apache-2.0

/**
 * What is done to a pattern and what must hold, whoever implements it: the scenarios know
 * their subjects by the names of operations and by what they have written in journals.
 */
@NullMarked
package io.ge.redis.test.scenario;

import org.jspecify.annotations.NullMarked;

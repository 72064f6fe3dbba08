// SPDX-License-Identifier: Apache-2.0

/**
 * Agents take tasks at a limited rate and run one at a time. Their states and what they
 * have completed are shared by all instances.
 */
@NullMarked
package io.ge.redis.sample.agent;

import org.jspecify.annotations.NullMarked;

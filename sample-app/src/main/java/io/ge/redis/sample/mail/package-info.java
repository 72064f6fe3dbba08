// SPDX-License-Identifier: Apache-2.0

/**
 * Mails of which nobody gets two.
 */
@NullMarked
package io.ge.redis.sample.mail;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0

/**
 * The guards' answers over HTTP: headers and problem details.
 */
@NullMarked
package io.ge.redis.web;

import org.jspecify.annotations.NullMarked;

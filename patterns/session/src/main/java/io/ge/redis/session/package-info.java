// SPDX-License-Identifier: Apache-2.0

/**
 * Sessions in Redis under the interfaces of Spring Session.
 */
@NullMarked
package io.ge.redis.session;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0

/**
 * Geo indexes: members by place, searched by distance.
 */
@NullMarked
package io.ge.redis.geo;

import org.jspecify.annotations.NullMarked;

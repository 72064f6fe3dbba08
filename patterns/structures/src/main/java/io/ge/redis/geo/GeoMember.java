// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

/**
 * A member of a geo index that was found.
 *
 * @param point where it is, to within 60 cm
 * @param km the distance from the place that was asked for, in kilometres
 */
public record GeoMember(String member, GeoPoint point, double km) {
}

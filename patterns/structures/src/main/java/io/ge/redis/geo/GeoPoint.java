// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

import io.ge.redis.core.structure.Arguments;

/**
 * A place on the Earth.
 *
 * @param longitude degrees to the east, from -180 to 180
 * @param latitude degrees to the north, from -85.05112878 to 85.05112878: Redis knows no
 * poles
 */
public record GeoPoint(double longitude, double latitude) {

	static final double MAX_LONGITUDE = 180;

	static final double MAX_LATITUDE = 85.05112878;

	public GeoPoint {
		Arguments.range("longitude", longitude, -MAX_LONGITUDE, MAX_LONGITUDE);
		Arguments.range("latitude", latitude, -MAX_LATITUDE, MAX_LATITUDE);
	}

}

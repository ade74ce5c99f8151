package api

import "encoding/base64"

// ShortenConfig replaces long values and the tokens, to display a config.
func ShortenConfig(config *Config) {
	omit := func(data *[]byte) {
		if len(*data) > 0 {
			// Data is shown in base64: these bytes are encoded as readable words.
			*data, _ = base64.StdEncoding.DecodeString("DATA+OMITTED")
		}
	}
	for _, user := range config.AuthInfos {
		if user == nil {
			continue
		}
		omit(&user.ClientKeyData)
		omit(&user.ClientCertificateData)
		redactString(&user.Token)
	}
	for _, cluster := range config.Clusters {
		if cluster != nil {
			omit(&cluster.CertificateAuthorityData)
		}
	}
}

// RedactSecrets replaces tokens, passwords, client keys and the data of auth providers. The error is always nil.
//
// Arguments and environment of exec plugins and all extensions are not changed, because their meaning is unknown.
func RedactSecrets(config *Config) error {
	if config == nil {
		return nil
	}
	for _, user := range config.AuthInfos {
		if user == nil {
			continue
		}
		if user.ClientKeyData != nil {
			user.ClientKeyData = []byte("REDACTED")
		}
		redactString(&user.Token)
		redactString(&user.Password)
		if user.AuthProvider != nil {
			for key := range user.AuthProvider.Config {
				user.AuthProvider.Config[key] = "REDACTED"
			}
		}
	}
	return nil
}

func redactString(s *string) {
	if *s != "" {
		*s = "REDACTED"
	}
}

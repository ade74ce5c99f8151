package api

import "encoding/base64"

// ShortenConfig replaces what is too long to be read, and the tokens, for showing a config to a human.
func ShortenConfig(config *Config) {
	omit := func(data *[]byte) {
		if len(*data) > 0 {
			// Data is shown in base64: these are the bytes that will read as words.
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

// RedactSecrets replaces tokens, passwords, client keys and what auth providers keep. The error is always nil.
//
// What stays are the arguments and the environment of exec plugins, and all extensions: nobody here knows what they mean.
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
